import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ended, type Ended } from './postern.ts'

const script = join(import.meta.dirname, '../../src/main.ts')

/**
 * Runs a command at a terminal of its own, made by script(1) of util-linux, and types what `answer` makes of what it shows
 * as soon as it asks.
 */
export async function atTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { asks, answer }: { readonly asks: RegExp; readonly answer: (shown: string) => string },
): Promise<Ended> {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('/usr/bin/script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...environment, SHELL: '/bin/sh' },
    stdio: 'pipe',
  })
  let shown = ''
  let isAnswered = false
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8')
    if (isAnswered || !asks.test(shown)) return
    isAnswered = true
    child.stdin.write(`${answer(shown)}\r`)
  })
  return ended(child)
}
