/** Parsed and normalized arguments of one call. */
export type ToolArguments = Readonly<Record<string, unknown>>
