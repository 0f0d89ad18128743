import type { Log } from '@postern/core'
import { startGateway, type GatewayConfig } from '@postern/gateway/start'
import { openParts } from '@postern/gateway/wire'

export interface RunningService {
  /** Listened on; the configured one, unless that was 0. */
  readonly port: number
  /** Settles when the embedded database ended by itself: the process has to end then. */
  readonly lost: Promise<void>
  /** Lets calls under way finish, then closes everything. */
  close(): Promise<void>
}

/** Database, migrations and gateway in this process. @throws internal_error, service_busy. */
export async function runService(config: GatewayConfig, log: Log): Promise<RunningService> {
  const parts = await openParts(config, log, { migrates: true })
  try {
    const gateway = await startGateway(config, parts, log)
    const close = async (): Promise<void> => {
      await gateway.close()
      await parts.close()
    }
    return { port: gateway.port, lost: parts.lost, close }
  } catch (error) {
    await parts.close()
    throw error
  }
}
