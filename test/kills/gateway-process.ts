import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'

const script = join(import.meta.dirname, '../../apps/cli/src/main.ts')

/** The service as a process of its own, which can be killed outright and started again at the same address. */
export interface GatewayProcess {
  readonly url: string
  start(): Promise<void>
  /** `kill -9`, and what is left of it is gone. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** @param environment its settings, without a port. */
export async function makeGatewayProcess(
  environment: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = once(ending, 'exit')
    ending.kill(signal)
    await gone
  }
  return {
    url,
    async start() {
      const started = spawn(process.execPath, [script, 'start', '--json'], {
        env: { ...environment, POSTERN_PORT: port, POSTERN_LOG_LEVEL: 'error' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      let said = ''
      started.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)))
      started.stdout.resume()
      while (!(await isReady(url))) {
        if (started.exitCode !== null) throw new Error(`the service ended at its start: ${said}`)
        await sleep(25)
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/ready`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok ?? false
}
