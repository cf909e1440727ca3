declare const brand: unique symbol
/** A string that has been through its one constructor; a bare string does not fit. */
type Brand<Name extends string> = string & { readonly [brand]: Name }

/** One customer organization of the product, here a bank. Part of every key. */
export type TenantId = Brand<'TenantId'>
/** The signed-in person, as the verified token names them. */
export type SubjectId = Brand<'SubjectId'>
/** One conversation of one login. */
export type SessionId = Brand<'SessionId'>
/** The runtime's id of one tool call. Not a nonce: a runtime may repeat it. */
export type ToolCallId = Brand<'ToolCallId'>

/** Call only where a login has been verified, or where the tenants of this process are configured. */
export const tenantId = (verified: string): TenantId => verified as TenantId
/** Call only where a login has been verified: everything downstream trusts it. */
export const subjectId = (verified: string): SubjectId => verified as SubjectId
/** Call only where the host opens a session. */
export const sessionId = (opened: string): SessionId => opened as SessionId
/** Call only where the host hands over a call. */
export const toolCallId = (given: string): ToolCallId => given as ToolCallId
