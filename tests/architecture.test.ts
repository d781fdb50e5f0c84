import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '#core/errors.ts';
import { SETTINGS } from '#core/model/settings/setting.ts';
import { describeConfig } from '#server/config/config.ts';
import { OPERATIONS, resolved, type Schema } from './support/gateway/operations.ts';
import { cyclesIn, importGraph, roomEdges } from './support/import-graph.ts';

function* sources(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name) && !entry.name.includes('.gen.')) yield path;
  }
}

function isClosed(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.every((one) => isClosed(resolved(one) ?? one));
  return schema.additionalProperties === false;
}

/** A room is a folder of an area, or a file beside the folders. Files that a table does not name compose the rooms. */
interface Rooms {
  /** Room that every feature may know → the other rooms of this kind that it may know. None of them knows a feature. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /** Features that every other feature may know. */
  readonly open: readonly string[];
  /** Feature → the other features it may import from. A new edge is a decision: add it here, with a reason in the commit. */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

const ROOMS: Readonly<Record<'core' | 'api' | 'worker' | 'client' | 'web', Rooms>> = {
  core: {
    shared: {
      crypto: ['lib', 'model', 'ports'],
      'errors.ts': ['limits.ts'],
      lib: ['errors.ts'],
      'lifecycle.ts': ['ports'],
      'limits.ts': [],
      model: ['errors.ts', 'lib', 'limits.ts'],
      policy: ['errors.ts', 'lib', 'model'],
      ports: ['errors.ts', 'lib', 'model', 'policy'],
    },
    open: ['accounts', 'audit', 'hosts'], // who asks, who did what, and how a host is reached
    allowed: {
      accounts: ['activities'],
      activities: ['instances'],
      agent: ['activities', 'files'],
      audit: [],
      backup: ['activities', 'settings'],
      demo: [],
      embedding: [],
      files: ['activities', 'webhooks'],
      hosts: ['activities', 'instances', 'webhooks'],
      instances: [],
      monitor: ['activities', 'instances', 'webhooks'],
      operations: [],
      overview: [],
      recordings: ['activities', 'instances'],
      settings: ['instances'],
      snippets: [],
      terminals: ['activities', 'instances', 'recordings', 'webhooks'],
      webhooks: ['instances'],
    },
  },
  api: {
    shared: { contract: [], http: ['contract'] },
    open: [],
    allowed: { routes: [] },
  },
  worker: {
    shared: { 'node-internals': [], threads: [] },
    open: [],
    allowed: {
      encodings: [],
      inspections: ['programs', 'ssh'],
      keeper: ['names', 'shell', 'ssh'],
      names: [],
      probe: ['sftp', 'ssh'],
      programs: ['ssh'],
      recording: ['screen'],
      screen: [],
      sftp: ['ssh'],
      shell: ['encodings', 'ssh'],
      ssh: ['names'],
      tunnels: ['sftp', 'ssh'],
    },
  },
  client: {
    shared: {
      'admission.ts': ['client.ts', 'transport'],
      'client.ts': ['transport'],
      'event-stream.ts': ['client.ts', 'transport'],
      transport: [],
    },
    open: [],
    allowed: {
      'agent.ts': [],
      'audit-verification.ts': [],
      // The entry of the published package exports everything.
      package: [
        'agent.ts',
        'audit-verification.ts',
        'recording-links.ts',
        'recording-search.ts',
        'terminal',
        'transfers',
      ],
      'recording-links.ts': [],
      'recording-search.ts': [],
      terminal: [],
      transfers: [],
    },
  },
  web: {
    shared: {
      app: ['i18n', 'lib'],
      branding: ['app', 'lib', 'parts'],
      i18n: ['lib'],
      lib: [],
      parts: ['app', 'i18n', 'lib'],
      styles: [],
      workspace: ['app', 'i18n', 'lib', 'parts'],
    },
    open: [],
    allowed: {
      account: ['live-terminals', 'quick-connect', 'recordings', 'servers', 'snippets', 'terminal'],
      admin: ['account', 'agent', 'live-terminals', 'recordings', 'servers'],
      agent: ['open-terminals', 'servers'],
      docs: [],
      editor: ['files'],
      embed: ['editor', 'files', 'help', 'interface.tsx', 'terminal', 'transfers'],
      files: ['agent', 'servers', 'transfers'],
      frame: [],
      help: [],
      'live-terminals': ['open-terminals'],
      'open-terminals': [],
      player: [],
      'quick-connect': ['servers'],
      recordings: ['player', 'servers'],
      servers: [],
      shell: ['account', 'agent', 'live-terminals', 'open-terminals', 'quick-connect', 'servers', 'terminal'],
      snippets: ['open-terminals'],
      terminal: ['agent', 'open-terminals', 'quick-connect', 'servers'],
      transfers: [],
    },
  },
};

/** Where text is normalized or collated, which takes quadratic time: each bounds it or sees only the gateway's own words. */
const BOUNDED = [
  'apps/core/lib/text/fold.ts',
  'apps/web/admin/audit/query.ts', // names of actions
  'apps/web/editor/language/language.ts', // names of languages
  'apps/web/lib/match/fold.ts', // one character at a time
  'apps/web/lib/match/natural.ts',
  'apps/web/player/clusters.ts', // a character with at most 64 marks
  'apps/worker/encodings/encoders.ts', // one character at a time
];

/** Files of the applications that contain a match. */
function filesWith(pattern: RegExp): string[] {
  return readdirSync('apps', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => join('apps', path))
    .filter((path) => pattern.test(readFileSync(path, 'utf8')));
}

/** Packages whose version is a range, or not the installed one: another version may lack their private parts. */
function unpinned(...names: string[]): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  return names.filter((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
    return { ...dependencies, ...devDependencies }[name] !== version;
  });
}

const AREAS = ['core', 'api', 'worker', 'client', 'web'] as const;

/** A file beside the folders, such as `services.ts`. */
function isComposing(room: string): boolean {
  return /\.(tsx?|mjs)$/.test(room);
}

const graph = importGraph(['apps', 'db']);

describe('The house', () => {
  it('has no import cycle, type imports included', () => {
    expect(cyclesIn(graph)).toEqual([]);
  });

  it.each(AREAS)('lets a feature of %s know only the features that the table names', (area) => {
    const { shared, open, allowed } = ROOMS[area];
    const refused = [...roomEdges(graph, `apps/${area}`)].filter((edge) => {
      const [from = '', to = ''] = edge.split(' → ');
      const features = allowed[from] && [...Object.keys(shared), ...open, ...allowed[from]];
      const known = shared[from] ?? features;
      return known ? !known.includes(to) : !isComposing(from);
    });
    expect(refused).toEqual([]);
  });

  it('normalizes text in one place for each bundle, because normalizing has to be bounded', () => {
    const homes = [...sources('apps'), ...sources('db')].filter((path) =>
      /\.normalize\(|Intl\.Collator|localeCompare/.test(readFileSync(path, 'utf8')),
    );
    expect(homes.sort()).toEqual(BOUNDED);
  });

  it.each(['core', 'server', 'worker', 'api', 'web', 'client'])(
    'has rooms in %s that know each other one way only',
    (area) => {
      const rooms = new Map<string, Set<string>>();
      for (const edge of roomEdges(graph, `apps/${area}`)) {
        const [from = '', to = ''] = edge.split(' → ');
        rooms.set(from, (rooms.get(from) ?? new Set()).add(to));
        rooms.set(to, rooms.get(to) ?? new Set());
      }
      expect(cyclesIn(rooms)).toEqual([]);
    },
  );

  it.each(AREAS)('names no edge in the table of %s that no import uses', (area) => {
    const used = roomEdges(graph, `apps/${area}`);
    const { shared, allowed } = ROOMS[area];
    const named = Object.entries({ ...shared, ...allowed }).flatMap(([from, all]) =>
      all.map((to) => `${from} → ${to}`),
    );
    expect(named.filter((edge) => !used.has(edge))).toEqual([]);
  });

  it('keeps the application free of Node, so that it runs at an edge', async () => {
    const output = await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        minify: false,
        lib: { entry: 'apps/api/app.ts', formats: ['es'], fileName: 'app' },
      },
    });
    const chunks = [output].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
    const imports = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
    const code = chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n');
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/(from|require\()\s*["']node:|__vite-browser-external/);
  });

  it('touches private parts of xterm in one folder, and at one version', () => {
    const users = filesWith(/\b_(core|renderService|inputHandler|dec)\b/);
    expect(users.filter((path) => !path.startsWith('apps/client/terminal/internals/xterm-'))).toEqual([]);
    expect(unpinned('@xterm/headless', '@xterm/xterm', '@xterm/addon-image')).toEqual([]);
  });

  it('rewrites libraries of the page in one folder, each at one version', () => {
    const users = filesWith(/new Proxy\(document|'\/@(kobalte|solidjs)\//);
    expect(users.filter((path) => !path.startsWith('apps/web/embed/internals/'))).toEqual([]);
    expect(unpinned('@kobalte/core', '@solidjs/router')).toEqual([]);
  });

  it('touches private parts of ssh2 in one folder, and at one version', () => {
    const users = filesWith(
      /['"]ssh2\/lib|\b(authPK|_(protocol|offer|kex\w*|cipher|decipher|packetRW|chanMgr|on[A-Z]\w+|hostVerifier|strictMode))\b/,
    );
    expect(users.filter((path) => !path.startsWith('apps/worker/ssh/internals/'))).toEqual([]);
    expect(users.length).toBeGreaterThan(3);
    expect(unpinned('ssh2')).toEqual([]);
  });

  it('touches private parts of Node in two folders', () => {
    const users = filesWith(
      /\b(_(readableState|writableState|handle|httpMessage|events)\b|kOnce|process\.binding|internalBinding)|\bset upgrade\(/,
    );
    expect(users.sort()).toEqual([
      'apps/server/http/internals/upgradable-request.ts',
      'apps/worker/node-internals/read-ahead.ts',
    ]);
  });

  it('reads the environment in one place', () => {
    const readers = [...sources('apps'), ...sources('db')].filter((path) =>
      /process\.env/.test(readFileSync(path, 'utf8')),
    );
    expect(readers).toEqual(['apps/server/config/environment.ts']);
  });

  it('gives every refusal a status and a text, and a valid close code where it has one', () => {
    for (const [code, { status, close, detail }] of Object.entries(FAULTS)) {
      expect(code).toMatch(/^[a-z0-9_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      if (close !== undefined) expect(close === 1008 || close >= 1011).toBe(true);
      expect(detail).not.toBe('');
    }
  });

  it('raises every refusal that it names', () => {
    const code = [...sources('apps'), ...sources('db')]
      .filter((path) => !path.endsWith('core/errors.ts'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    expect(Object.keys(FAULTS).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('takes no key that it does not know in any request body', () => {
    const open = OPERATIONS.filter(({ body }) => body && !isClosed(body));
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  it('documents every variable in docs/configuration.md', () => {
    const variables = [...describeConfig({}).matchAll(/^(SERVICE_\w+)=/gm)].map(([, name]) => name);
    const page = readFileSync('docs/configuration.md', 'utf8');
    expect(variables.length).toBeGreaterThan(Object.keys(SETTINGS).length + 40);
    expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
