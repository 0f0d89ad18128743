import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { callTool } from '../mcp-call.ts'
import { freePort } from '../../scripts/free-port.ts'

/** Runs `measure` beside a bare SDK server whose every answer has about `size` characters; `call` asks it once. */
export async function withBareServer<T>(
  size: number,
  measure: (call: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const file = join(import.meta.dirname, 'bare-server.ts')
  const server = spawn(process.execPath, [file, String(size), String(port)], { stdio: 'inherit' })
  const call = (): Promise<unknown> => callTool(`http://127.0.0.1:${port}`, 'none', 'inbox_list', {})
  try {
    await delay(1_500)
    return await measure(call)
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}
