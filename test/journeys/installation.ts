import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeGatewayProcess, type GatewayProcess } from '../kills/gateway-process.ts'

const script = join(import.meta.dirname, '../../apps/cli/src/main.ts')

/** A data folder, the commands that run on it, and the service. */
export interface Installation {
  readonly url: string
  readonly gateway: GatewayProcess
  /** Runs a command and gives its JSON; throws where it fails. */
  cli(args: readonly string[], input?: string): Promise<Readonly<Record<string, unknown>>>
  remove(): Promise<void>
}

export async function install(settings: Readonly<Record<string, string>>): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-journey-'))
  await chmod(folder, 0o711) // the system user who runs the database has to get through
  const environment = { POSTERN_DATA_DIR: join(folder, 'data'), ...settings }
  const gateway = await makeGatewayProcess(environment)
  return {
    url: gateway.url,
    gateway,
    async cli(args, input) {
      const running = promisify(execFile)(process.execPath, [script, ...args, '--json'], { env: environment })
      running.child.stdin?.end(input)
      return JSON.parse((await running).stdout) as Readonly<Record<string, unknown>>
    },
    async remove() {
      await gateway.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
