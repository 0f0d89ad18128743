import type { Stage } from './stage.ts'
import { startTeeProxy, type TeeProxy } from './tee-proxy.ts'

/** The same mailbox as a second inbox, reached in clear through a relay that sees what is said. `label` tells it from others. */
export async function connectWatched(
  { service, mail }: Stage,
  label: string,
  scopes = 'read:email,search:email',
): Promise<{ readonly proxy: TeeProxy; readonly key: string }> {
  const proxy = await startTeeProxy('127.0.0.1', mail.plainPort)
  const connect = ['inbox', 'connect', 'imap', '--address', `${label}-${mail.user}`, '--username', mail.user]
  const where = ['--host', '127.0.0.1', '--port', String(proxy.port), '--tls', 'none', '--password-stdin']
  const { inbox_id: inboxId } = await service.cli([...connect, ...where], mail.pass)
  const { key } = await service.cli(['key', 'create', '--scopes', scopes, '--inbox', String(inboxId)])
  return { proxy, key: String(key) }
}
