import { listTenantsOfExpired, purgeDownloads, purgeFiles, withTenant, type Database } from '@postern/store'

const tenantsPerRound = 100
const filesPerTenant = 50
const linksPerTenant = 5_000

/**
 * Deletes files and links that are over, within bounds. Several processes may: who deletes a row has it.
 * @returns whether there may be more.
 */
export async function purgeExpired(db: Database, now: Date): Promise<boolean> {
  const tenants = await listTenantsOfExpired(db, now, tenantsPerRound)
  for (const tenantId of tenants) {
    await withTenant(db, tenantId, (trx) => purgeFiles(trx, now, filesPerTenant))
    await withTenant(db, tenantId, (trx) => purgeDownloads(trx, now, linksPerTenant))
  }
  return tenants.length > 0
}
