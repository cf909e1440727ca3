# The bank's rules for the Open Policy Agent, over the data that scripts/opa.ts makes of a bank. OPA has no AuthZEN
# endpoints of its own; its v0 data API answers a POST with the document of that path, so below /v0/data this package
# is AuthZEN's Access Evaluations endpoint.
package access.v1

evaluations := {"evaluations": [{"decision": permitted(item)} | some item in input.evaluations]}

default permitted(_) := false

permitted(item) if {
	item.subject.type == "Customer"
	may(item.action.name, item.resource, item.subject.id)
}

may("VIEW_ACCOUNT_BALANCE", resource, who) if owns(who, resource)

may("TRANSFER_FROM_ACCOUNT", resource, who) if {
	owns(who, resource)
	data.bank.accounts[resource.id].closed == false
}

may("VIEW_INVOICE", resource, who) if {
	resource.type == "Invoice"
	data.bank.invoices[resource.id].customer == who
}

may("VIEW_CUSTOMER_PROFILE", resource, who) if {
	resource.type == "Customer"
	resource.id == who
	data.bank.customers[who]
}

owns(who, resource) if {
	resource.type == "Account"
	who in data.bank.accounts[resource.id].owners
}
