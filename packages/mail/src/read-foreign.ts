/**
 * Runs a library that throws over what a stranger wrote, and gives what `onFailure` makes of its error: a broken file is
 * an answer. The one place where text is taken out of files that turns an error into a value.
 */
export async function readForeign<T>(
  read: () => T | Promise<T>,
  onFailure: (error: unknown) => T,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    return onFailure(error)
  }
}
