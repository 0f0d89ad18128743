import type { ImapConnection } from './pool.ts'
import { isList, tokenText } from './wire.ts'

/** Where the folders of a user stand: `INBOX.` on some servers, nothing on most. */
export interface PersonalNamespace {
  readonly prefix: string
  readonly delimiter: string | null
}

/** RFC 2342 5: the first personal namespace; null where the server has none, or does not say. @throws provider_*, timeout. */
export async function personalNamespace(connection: ImapConnection): Promise<PersonalNamespace | null> {
  if (!connection.capabilities.has('NAMESPACE')) return null
  const { lines } = await connection.run('NAMESPACE', [], { collect: ['NAMESPACE'] })
  const personal = lines[0]?.tokens[0]
  const first = isList(personal) ? personal[0] : null
  if (!isList(first)) return null
  const prefix = tokenText(first[0])
  const delimiter = tokenText(first[1])
  return prefix === null ? null : { prefix, delimiter: delimiter === '' ? null : delimiter }
}
