import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../scripts/free-port.ts'

const root = join(import.meta.dirname, '..')
const cliMain = join(root, 'apps/cli/src/main.ts')

/** The service as it ships, in a process of its own, on a data folder that goes with it. */
export interface BenchService {
  readonly url: string
  readonly pid: number
  /** What it was started with. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Runs a command of the command line against it and gives its JSON. */
  cli(args: readonly string[], input?: string): Promise<Record<string, unknown>>
  /** Resident set of the service's own process, PostgreSQL apart, in MiB. */
  residentMiB(): Promise<number>
  stop(): Promise<void>
}

/** Limiter, audit and fsync are on; only the numbers of the limiter are raised, so that the bench is not refused. */
export async function startService(caFile: string): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postern-bench-'))
  const port = await freePort()
  const env = {
    ...process.env,
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PORT: String(port),
    POSTERN_ALLOW_PRIVATE_HOSTS: '1',
    POSTERN_EXTRA_CA_FILE: caFile,
    POSTERN_LOG_LEVEL: 'warn',
    POSTERN_KEY_CALLS_PER_MINUTE: '1000000',
    POSTERN_KEY_CALLS_PER_HOUR: '1000000',
    POSTERN_KEY_CALLS_PER_DAY: '1000000',
    POSTERN_TENANT_CALLS_PER_MINUTE: '1000000',
    POSTERN_TEST_SERVERS: undefined,
  }
  const child = spawn(process.execPath, ['--max-semi-space-size=4', cliMain, 'start'], {
    env,
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady(`${url}/ready`)
  const pid = child.pid ?? 0
  return {
    url,
    pid,
    environment: env,
    async cli(args, input) {
      const running = promisify(execFile)(process.execPath, [cliMain, ...args, '--json'], { env, cwd: root })
      running.child.stdin?.end(input)
      return JSON.parse((await running).stdout) as Record<string, unknown>
    },
    async residentMiB() {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await delay(100)
  }
  throw new Error('the service did not become ready within a minute')
}
