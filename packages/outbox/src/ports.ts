/** What the rules of sending ask of the world. */
export interface SendLookups {
  /** Whether the owner has written to that address before: one bounded search in Sent. @throws provider_*, timeout. */
  isKnownCorrespondent(email: string): Promise<boolean>
  /** Sends that this key began since then, the one in question not counted, whatever came of them but `not_sent`. */
  countSends(principalId: string, since: Date): Promise<number>
}
