import { schemaName, withOwner } from './migrate.ts'
import { serviceRoles } from './roles.ts'

interface ColumnRow {
  readonly table_name: string
  readonly column_name: string
  readonly type_name: string
  readonly is_nullable: boolean
  readonly has_default: boolean
}

const header = `// Written by \`npm run gen\` from the migrated database. Change a migration, not this file.
import type { ColumnType } from 'kysely'

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>

/** An octet string: the driver takes any Uint8Array and gives a Buffer. */
export type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>

/** jsonb: read as what it is, written as JSON text. */
export type Json = ColumnType<unknown, string, string>
`

/**
 * The TypeScript of `schema.ts`: a table type for each table that a service role may touch, in order of name.
 * @param ownerUrl a database migrated to this code.
 * @throws internal_error for a column type that has no counterpart here yet.
 */
export async function generateSchema(ownerUrl: string): Promise<string> {
  const columns = await withOwner(ownerUrl, async (client) => {
    const { rows } = await client.query<ColumnRow>(
      `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type_name,
              not a.attnotnull as is_nullable, a.atthasdef as has_default
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid
        where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
          and a.attnum > 0 and not a.attisdropped
          and exists (select from unnest($2::text[]) r (role) where has_any_column_privilege(r.role, c.oid, 'select'))
        order by c.relname, a.attnum`,
      [schemaName, serviceRoles],
    )
    return rows
  })
  const tables = Map.groupBy(columns, ({ table_name }) => table_name)
  const interfaces = [...tables].map(([table, rows]) =>
    renderInterface(pascalCase(table), rows.map(renderColumn)),
  )
  const all = [...tables.keys()].map((table) => `${table}: ${pascalCase(table)}`)
  return [header, ...interfaces, renderInterface('DB', all)].join('\n')
}

const scalars: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  bytea: 'Bytes',
  date: 'Date',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'Json',
  smallint: 'number',
  text: 'string',
  'timestamp with time zone': 'Date',
  uuid: 'string',
}

function renderColumn({ column_name, type_name, is_nullable, has_default }: ColumnRow): string {
  const element = scalars[type_name.replace(/\[\]$/, '')]
  if (element === undefined)
    throw new Error(`generate-schema.ts knows no type for ${type_name} of ${column_name}`)
  const base = type_name.endsWith('[]') ? `${element}[]` : element
  const type = is_nullable ? `${base} | null` : base
  return `${column_name}: ${has_default ? `Generated<${type}>` : type}`
}

function renderInterface(name: string, members: readonly string[]): string {
  return [`export interface ${name} {`, ...members.map((member) => `  ${member}`), '}', ''].join('\n')
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
