/** What the rules of sending ask of the world. */
export interface SendLookups {
  /** Whether the owner has written to that address before: one bounded search in Sent. @throws provider_*, timeout. */
  isKnownCorrespondent(email: string): Promise<boolean>
  /**
   * Takes one of the sends that this key has from this inbox; of calls at once exactly as many get one as are left.
   * @param since when counting began. @param cap how many there are.
   */
  takeSend(since: Date, cap: number): Promise<boolean>
}
