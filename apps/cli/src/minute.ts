/** An instant in UTC, to the minute. */
export function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}
