/** For the default branch of a switch over a closed union: compiles only while every case is handled. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`)
}
