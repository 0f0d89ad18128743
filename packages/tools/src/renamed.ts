/** Former tool names, callable for ever: old name to present name. */
export const renamedTools: ReadonlyMap<string, string> = new Map()
