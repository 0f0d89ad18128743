import { Fault, randomBase62 } from '@postern/core'
import { open, rotate, seal, sealedKeyId, type KeyRing, type SealContext } from '@postern/vault'
import type pg from 'pg'

/**
 * The roles that services connect as. `postern_app` reads and writes under the tenant's policy and owns
 * nothing; `postern_system` may read the few columns that are needed before a tenant is known.
 */
export const serviceRoles = ['postern_app', 'postern_system'] as const
export type ServiceRole = (typeof serviceRoles)[number]

const sessionSettings = {
  search_path: 'postern',
  statement_timeout: '15s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
} as const

interface RoleFacts {
  readonly can_bypass: boolean
  readonly is_owner_member: boolean
  /** Database that this role was made for, null when it says none or one that is gone. */
  readonly home: string | null
}

/**
 * Makes the service roles where they are missing and gives them generated passwords, which are sealed in the
 * database: its owner's URL and the key ring are enough to connect as any of them.
 * Runs inside the caller's transaction. Changes nothing when everything is in place.
 * @throws internal_error saying which privilege the owner lacks, or which role could see other tenants.
 */
export async function ensureRoles(client: pg.ClientBase, keyRing: KeyRing): Promise<void> {
  await client.query(`
    create table if not exists service_roles (
      role text primary key,
      envelope bytea not null,
      updated_at timestamptz not null default now()
    )`)
  for (const role of serviceRoles) await ensureRole(client, keyRing, role)
}

/** The generated password of each service role. @throws internal_error when there are none, or the keys do not fit. */
export async function readRolePasswords(
  client: pg.ClientBase,
  keyRing: KeyRing,
): Promise<Readonly<Record<ServiceRole, string>>> {
  const stored = await Promise.all(serviceRoles.map((role) => findPassword(client, keyRing, role)))
  const [app, system] = stored
  if (app === null || app === undefined || system === null || system === undefined) {
    throw new Fault('internal_error', {
      public: 'The database has no service roles yet. Run `npm run migrate` with the URL of its owner.',
    })
  }
  return { postern_app: app.password, postern_system: system.password }
}

async function ensureRole(client: pg.ClientBase, keyRing: KeyRing, role: ServiceRole): Promise<void> {
  const database = await currentDatabase(client)
  const known = await findFacts(client, role)
  if (known !== null) requireHarmless(role, known, database)
  if (known === null) await privileged(client, role, `create role ${role} login noinherit`)
  const stored = await findPassword(client, keyRing, role)
  if (stored === null || known?.home !== database) {
    const password = stored?.password ?? randomBase62(32)
    await privileged(client, role, `alter role ${role} login password ${client.escapeLiteral(password)}`)
    for (const [name, value] of Object.entries(sessionSettings)) {
      await privileged(client, role, `alter role ${role} set ${name} = '${value}'`)
    }
    await privileged(client, role, `comment on role ${role} is ${client.escapeLiteral(commentOf(database))}`)
    await savePassword(client, role, seal(keyRing, Buffer.from(password), contextOf(role)))
  } else if (sealedKeyId(stored.envelope) !== keyRing.currentKeyId) {
    const moved = rotate(keyRing, stored.envelope, contextOf(role))
    if (moved !== null) await savePassword(client, role, moved)
  }
  await ensureAccess(client, role, database)
}

async function currentDatabase(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  return rows[0]?.name ?? ''
}

const commentPrefix = 'Postern service role of database '

function commentOf(database: string): string {
  return `${commentPrefix}${database}`
}

async function findFacts(client: pg.ClientBase, role: ServiceRole): Promise<RoleFacts | null> {
  const { rows } = await client.query<RoleFacts>(
    `select r.rolsuper or r.rolbypassrls as can_bypass,
            pg_has_role(r.oid, current_user, 'member') as is_owner_member,
            (select d.datname from pg_database d
              where $2 || d.datname = shobj_description(r.oid, 'pg_authid')) as home
       from pg_roles r where r.rolname = $1`,
    [role, commentPrefix],
  )
  return rows[0] ?? null
}

function requireHarmless(role: ServiceRole, facts: RoleFacts, database: string): void {
  if (facts.can_bypass || facts.is_owner_member) {
    throw new Fault('internal_error', {
      public:
        `The database role ${role} may pass by row-level security (superuser, BYPASSRLS or member of the owner). ` +
        'Take that from it: the wall between tenants stands on it.',
    })
  }
  if (facts.home !== null && facts.home !== database) {
    // Its password would change under the other installation.
    throw new Fault('internal_error', {
      public:
        `The role ${role} of this PostgreSQL server belongs to the Postern in database ${facts.home}. ` +
        'Roles are shared by all databases of a server: use a server of its own for each Postern.',
    })
  }
}

function contextOf(role: ServiceRole): SealContext {
  return { tenantId: null, inboxId: null, purpose: `role-password:${role}` }
}

async function findPassword(
  client: pg.ClientBase,
  keyRing: KeyRing,
  role: ServiceRole,
): Promise<{ password: string; envelope: Uint8Array } | null> {
  const { rows } = await client.query<{ envelope: Buffer }>(
    'select envelope from service_roles where role = $1',
    [role],
  )
  const envelope = rows[0]?.envelope
  if (envelope === undefined) return null
  return { password: Buffer.from(open(keyRing, envelope, contextOf(role))).toString(), envelope }
}

async function savePassword(client: pg.ClientBase, role: ServiceRole, envelope: Uint8Array): Promise<void> {
  await client.query(
    `insert into service_roles (role, envelope) values ($1, $2)
     on conflict (role) do update set envelope = excluded.envelope, updated_at = now()`,
    [role, envelope],
  )
}

/** Where the right to connect was taken from everybody, the service roles get it by name. */
async function ensureAccess(client: pg.ClientBase, role: ServiceRole, database: string): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_database_privilege($1, current_database(), 'connect')
        and has_schema_privilege($1, current_schema(), 'usage') as may`,
    [role],
  )
  if (rows[0]?.may === true) return
  await privileged(client, role, `grant connect on database ${client.escapeIdentifier(database)} to ${role}`)
  await privileged(client, role, `grant usage on schema postern to ${role}`)
}

const insufficientPrivilege = '42501'

/** A statement that the owner may lack the right to. */
async function privileged(client: pg.ClientBase, role: ServiceRole, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== insufficientPrivilege) throw error
    throw new Fault('internal_error', {
      public:
        `The user of DATABASE_URL may not make or change the role ${role}. It needs CREATEROLE ` +
        '(alter role <user> createrole), and for a role that somebody else made the ADMIN OPTION on it ' +
        `(grant ${role} to <user> with admin option); besides it has to own the database.`,
      internal: error.message,
    })
  }
}
