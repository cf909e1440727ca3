# The fixture of AuthZEN's certification scenario, for OPA's v0 data API: a path is a document, so there is no 400 and no
# single evaluation at the path of several.
package access.v1

evaluation := {"decision": permitted(input)}

evaluations := {"evaluations": [{"decision": permitted(object.union(defaults, item))} | some item in input.evaluations]}

defaults := {key: value | some key, value in input; key in {"subject", "action", "resource", "context"}}

default permitted(_) := false

permitted(item) if {
	item.subject.type == "user"
	item.subject.id in {"alice", "bob"}
	item.resource.type == "record"
	may(item.action, item.subject, item.resource)
}

may(action, _, _) if action.name == "read"

may(action, subject, resource) if {
	action.name == "write"
	subject.id == "alice"
	object.get(resource, ["properties", "status"], "active") != "archived"
}

may(action, subject, resource) if {
	action.name == "write"
	subject.properties.role == "admin"
	resource.properties.status == "archived"
}

may(action, subject, _) if {
	action.name == "delete"
	action.properties.soft == true
	subject.id == "alice"
}
