import { BlockList, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Every variable of this version, in the order in which `sallyport config` prints them. */
const VARIABLES = {
  SERVICE_HOST: text().default('127.0.0.1'),
  SERVICE_PORT: integer(0, 65_535).default(8443),
  SERVICE_ROOT_PATH: text().refine(isRootPath, 'must be empty or a path such as /ssh').default(''),
  SERVICE_DATA_DIR: text().default('./data'),
  SERVICE_DB_URL: text().refine(isDatabaseUrl, 'must be a file path, file:… or postgres://…').optional(),
  SERVICE_SECRET_KEY: text().optional(),
  SERVICE_ALLOW_INSECURE_SECRET: flag().default(false),
  SERVICE_ADMIN_PASSWORD: text().optional(),
  SERVICE_VERIFY_HOST_KEYS: flag().default(true),
  SERVICE_SSH_CONNECT_TIMEOUT: integer(1, 600).default(15),
  SERVICE_TRUSTED_PROXIES: list(isCidr, 'must be addresses or CIDR ranges, separated by commas').default([]),
  SERVICE_ALLOWED_ORIGINS: list(
    isOrigin,
    'must be origins such as https://a.example, separated by commas',
  ).default([]),
  SERVICE_DEMO_MODE: flag().default(false),
  SERVICE_INSTANCE_ID: text().optional(),
  SERVICE_LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent').default('info'),
  SERVICE_LOG_FORMAT: oneOf('pretty', 'json').default('pretty'),
} as const;

const SECRETS = new Set(['SERVICE_SECRET_KEY', 'SERVICE_ADMIN_PASSWORD']);

const Environment = z.object(VARIABLES);

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly root_path: string;
  readonly data_dir: string;
  readonly database_url: string;
  readonly secret_key: string | undefined;
  readonly allow_insecure_secret: boolean;
  readonly admin_password: string | undefined;
  readonly verify_host_keys: boolean;
  readonly connect_timeout_ms: number;
  readonly trusted_proxies: readonly string[];
  readonly allowed_origins: readonly string[];
  readonly demo_mode: boolean;
  readonly instance_id: string;
  readonly log_level: string;
  readonly log_format: 'pretty' | 'json';
}

/** Stops the start; each line names a variable and what is wrong with it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The only reader of the environment. An empty variable counts as unset. */
export function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('SERVICE_') && (entry[1] ?? '') !== '',
    ),
  );
}

export function parseConfig(environment: Readonly<Record<string, string>>): Config {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(complaint).join('\n'));
  const env = parsed.data;
  const data_dir = resolve(env.SERVICE_DATA_DIR);
  return {
    host: env.SERVICE_HOST,
    port: env.SERVICE_PORT,
    root_path: env.SERVICE_ROOT_PATH.replace(/\/+$/, ''),
    data_dir,
    database_url: env.SERVICE_DB_URL ?? join(data_dir, 'sallyport.db'),
    secret_key: env.SERVICE_SECRET_KEY,
    allow_insecure_secret: env.SERVICE_ALLOW_INSECURE_SECRET,
    admin_password: env.SERVICE_ADMIN_PASSWORD,
    verify_host_keys: env.SERVICE_VERIFY_HOST_KEYS,
    connect_timeout_ms: env.SERVICE_SSH_CONNECT_TIMEOUT * 1000,
    trusted_proxies: env.SERVICE_TRUSTED_PROXIES,
    allowed_origins: env.SERVICE_ALLOWED_ORIGINS,
    demo_mode: env.SERVICE_DEMO_MODE,
    instance_id: env.SERVICE_INSTANCE_ID ?? crypto.randomUUID(),
    log_level: env.SERVICE_LOG_LEVEL,
    log_format: env.SERVICE_LOG_FORMAT,
  };
}

/** Variables with our prefix that this version does not know: most often misspelt. */
export function unknownVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.keys(environment).filter((name) => !(name in VARIABLES));
}

/** What is in force, one line per variable, secrets masked. */
export function describeConfig(environment: Readonly<Record<string, string>>): string {
  const config = parseConfig(environment);
  const values: Record<string, unknown> = {
    ...Environment.parse(environment),
    SERVICE_DATA_DIR: config.data_dir,
    SERVICE_DB_URL: withoutPassword(config.database_url),
  };
  const lines = Object.keys(VARIABLES).map((name) => {
    const source = name in environment ? 'environment' : 'default';
    return `${name}=${shown(name, values[name])}  # ${source}`;
  });
  return lines.join('\n');
}

function shown(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (SECRETS.has(name)) return '********';
  return Array.isArray(value) ? value.join(',') : String(value);
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password) parsed.password = '********';
  if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '********');
  return parsed.href;
}

function complaint({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.map(String).join('.')}: ${message}`;
}

function text() {
  return z.string();
}

function flag() {
  const words: Record<string, boolean> = {
    true: true,
    '1': true,
    yes: true,
    on: true,
    false: false,
    '0': false,
    no: false,
    off: false,
  };
  return z
    .string()
    .refine((word) => word.toLowerCase() in words, 'must be true or false')
    .transform((word) => words[word.toLowerCase()] === true);
}

function integer(min: number, max: number) {
  return z
    .string()
    .refine(
      (digits) => /^\d{1,9}$/.test(digits) && Number(digits) >= min && Number(digits) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

function list(isItem: (item: string) => boolean, message: string) {
  return z
    .string()
    .transform((items) =>
      items
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.every(isItem), message);
}

function oneOf<const Words extends [string, ...string[]]>(...words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

function isRootPath(path: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*\/?$/.test(path);
}

function isDatabaseUrl(url: string): boolean {
  return /^(postgres|postgresql):\/\/./.test(url) || /^file:/.test(url) || !url.includes('://');
}

function isOrigin(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin;
}

function isCidr(range: string): boolean {
  try {
    createAddressMatcher([range]);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address lies in one of the ranges. */
export function createAddressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const blocks = new BlockList();
  for (const range of ranges) addRange(blocks, range);
  return (address) => isIP(address) !== 0 && blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function addRange(blocks: BlockList, range: string): void {
  const [address = '', prefix] = range.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) blocks.addAddress(address, family);
  else if (/^\d{1,3}$/.test(prefix)) blocks.addSubnet(address, Number(prefix), family);
  else throw new ConfigError(`Not an address range: ${range}`);
}
