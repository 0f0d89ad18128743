import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { CommandContext } from './context.ts'

/** One line, typed at the terminal; empty when there is no more to read. */
export async function ask({ stdin, note }: CommandContext, question: string): Promise<string> {
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      note(chunk.toString('utf8'))
      done()
    },
  })
  const lines = createInterface({ input: stdin, output })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return (await Promise.race([lines.question(question), ended])).trim()
  } finally {
    lines.close()
    stdin.destroy()
  }
}
