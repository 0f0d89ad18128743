import type { Command } from 'commander'
import { Fault, newUuid } from '@postern/core'
import { addTenant, withTenant, type TenantRecord } from '@postern/store'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { facts, table } from '../layout.ts'
import type { Run } from '../run.ts'
import { allTenants } from '../resolve-tenant.ts'
import { withStore } from '../with-store.ts'

export function defineTenant(tenant: Command, run: Run): void {
  tenant
    .command('create')
    .description('make a tenant')
    .argument('<name>', 'what to call it, at most 200 characters')
    .action((name: string) => run((context) => createTenant(context, name)))
  tenant
    .command('list')
    .description('list all tenants')
    .action(() => run(listAll))
}

async function createTenant(context: CommandContext, name: string): Promise<Answer> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > 200) {
    throw new Fault('invalid_arguments', {
      public: 'The name must have 1 to 200 characters. Nothing was done.',
    })
  }
  const { service } = parseCliConfig(context.environment)
  const tenant = await withStore(service, commandLog(context), async ({ database }) => {
    const same = (await allTenants(database)).find(
      (other) => other.name.toLowerCase() === trimmed.toLowerCase(),
    )
    if (same !== undefined) throw nameTaken(same)
    return withTenant(database, newUuid(), (trx) => addTenant(trx, { name: trimmed, plan: 'self_hosted' }))
  })
  const text = facts([
    ['Tenant', tenant.name],
    ['Id', tenant.tenantId],
  ])
  return {
    json: toJson(tenant),
    text: `${text}\nNext: postern inbox connect sandbox, or: postern inbox connect imap --address you@example.com\n`,
  }
}

/** Two of one name could not be told apart by it, and nearly always the second one is a mistake. */
function nameTaken({ tenantId }: TenantRecord): Fault {
  return new Fault('invalid_arguments', {
    public: `There is a tenant of that name already, ${tenantId}. Nothing was done; go on with it, or take another name.`,
    details: { argument: 'name', tenant_id: tenantId },
  })
}

async function listAll(context: CommandContext): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const tenants = await withStore(service, commandLog(context), ({ database }) => allTenants(database))
  const rows = tenants.map(({ name, tenantId, status, createdAt }) => [
    name,
    tenantId,
    status,
    createdAt.toISOString().slice(0, 10),
  ])
  const text =
    tenants.length === 0
      ? 'There is no tenant yet. Make one: postern tenant create "Your name"\n'
      : table(['NAME', 'TENANT ID', 'STATUS', 'SINCE'], rows)
  return { json: { tenants: tenants.map(toJson) }, text }
}

function toJson({ tenantId, name, status, plan, createdAt }: TenantRecord): Record<string, unknown> {
  return { tenant_id: tenantId, name, status, plan, created_at: createdAt.toISOString() }
}
