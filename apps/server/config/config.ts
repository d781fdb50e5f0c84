import { join, resolve } from 'node:path';
import { z } from 'zod';
import { line } from '#core/model/fields.ts';
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
  type SettingValues,
  type SettingVariable,
} from '#core/model/setting.ts';
import { isAddressRange } from '../lib/address-ranges.ts';
import { ConfigError, parseVariables } from './config-error.ts';
import { filter } from './ldap-filter.ts';
import { type RecordingsStoreConfig, recordingsStore, storeChecks } from './recordings-store.ts';
import { settingChecks } from './setting-checks.ts';
import { SHARED } from './shared-variables.ts';
import { flag, integer, isDatabaseUrl, isHttpUrl, isLdapUrl, json, list, oneOf, text } from './values.ts';

const GroupName = line(1, 100);
const GroupMap = z.record(
  z.string().min(1),
  z.union([GroupName.transform((group) => [group]), z.array(GroupName)]),
);

/** All variables, in the order of `sallyport config`. */
const VARIABLES = {
  SERVICE_HOST: text().default('127.0.0.1'),
  SERVICE_PORT: integer(0, 65_535).default(8443),
  SERVICE_ROOT_PATH: SHARED.SERVICE_ROOT_PATH,
  SERVICE_DATA_DIR: text().default('./data'),
  SERVICE_DB_URL: text().refine(isDatabaseUrl, 'must be a file path, file:… or postgres://…').optional(),
  SERVICE_SECRET_KEY: SHARED.SERVICE_SECRET_KEY,
  SERVICE_SECRET_KEY_PREVIOUS: text().optional(),
  SERVICE_ALLOW_INSECURE_SECRET: flag().default(false),
  SERVICE_ADMIN_PASSWORD: text().optional(),
  SERVICE_STEP_UP_SECONDS: integer(1, 86_400).default(600),
  SERVICE_VERIFY_HOST_KEYS: SHARED.SERVICE_VERIFY_HOST_KEYS,
  SERVICE_SSH_CONNECT_TIMEOUT: integer(1, 600).default(15),
  SERVICE_DISABLE_MONITOR: flag().default(false),
  ...settingChecks(),
  SERVICE_TERMINAL_LANG: text()
    .regex(/^[\w.@-]{1,64}$/, 'must be a locale such as C.UTF-8, or none')
    .default('C.UTF-8'),
  SERVICE_ALLOWED_TARGETS: list(
    isAddressRange,
    'must be IP addresses or CIDR ranges, separated by commas',
  ).default([]),
  SERVICE_KEEPER: oneOf('on', 'off').default('off'),
  SERVICE_RECORDINGS_DIR: text().default('./recordings'),
  ...storeChecks,
  SERVICE_INSTANCE_URL: text().refine(isHttpUrl, 'must be a URL such as http://10.0.0.5:8443').optional(),
  SERVICE_TRUSTED_PROXIES: list(
    isAddressRange,
    'must be IP addresses or CIDR ranges, separated by commas',
  ).default([]),
  SERVICE_ALLOWED_ORIGINS: SHARED.SERVICE_ALLOWED_ORIGINS,
  SERVICE_FRAME_ANCESTORS: SHARED.SERVICE_FRAME_ANCESTORS,
  SERVICE_WEBHOOK_ALLOW_PRIVATE: flag().default(false),
  SERVICE_LDAP_ENABLED: flag().default(false),
  SERVICE_LDAP_URL: text()
    .transform((urls) => urls.split(/[\s,]+/).filter((url) => url !== ''))
    .refine(
      (urls) => urls.every(isLdapUrl) && isAlike(urls),
      'must be ldap://host or ldaps://host, optionally with a port; several of one kind are separated by spaces',
    )
    .optional(),
  SERVICE_LDAP_STARTTLS: flag().default(false),
  SERVICE_LDAP_CA_FILE: text().optional(),
  SERVICE_LDAP_BIND_DN: text().optional(),
  SERVICE_LDAP_BIND_PASSWORD: text().optional(),
  SERVICE_LDAP_USER_BASE: text().optional(),
  SERVICE_LDAP_USER_FILTER: filter('{username}').default('(uid={username})'),
  SERVICE_LDAP_GROUP_BASE: text().optional(),
  SERVICE_LDAP_GROUP_FILTER: filter('{dn}', '{username}').default('(member={dn})'),
  SERVICE_LDAP_GROUP_MAP: json(
    GroupMap,
    'must be a JSON object that maps each directory group to a group or a list of groups, each of 1 to 100 characters',
  ).default({}),
  SERVICE_LDAP_ADMIN_GROUPS: json(
    z.array(z.string().min(1)),
    'must be a JSON list of directory groups',
  ).default([]),
  SERVICE_DEMO_MODE: SHARED.SERVICE_DEMO_MODE,
  SERVICE_CONFIG_LOCKED: flag().default(false),
  SERVICE_BACKUP_PASSPHRASE: text().optional(),
  SERVICE_INSTANCE_ID: SHARED.SERVICE_INSTANCE_ID,
  SERVICE_DRAIN_SECONDS: integer(0, 600).default(2),
  SERVICE_METRICS_TOKEN: text()
    .regex(/^[!-~]{16,}$/, 'must have at least 16 characters and no spaces')
    .optional(),
  SERVICE_TRACING: flag().default(false),
  SERVICE_LOG_FORMAT: oneOf('pretty', 'json').default('pretty'),
} as const;

const SECRETS = new Set([
  'SERVICE_RECORDINGS_S3_ACCESS_KEY_ID',
  'SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY',
  'SERVICE_SECRET_KEY',
  'SERVICE_SECRET_KEY_PREVIOUS',
  'SERVICE_ADMIN_PASSWORD',
  'SERVICE_LDAP_BIND_PASSWORD',
  'SERVICE_BACKUP_PASSPHRASE',
  'SERVICE_METRICS_TOKEN',
]);

const Environment = z.object(VARIABLES);

export interface LdapConfig {
  /** Asked in this order while one does not answer. */
  readonly urls: readonly string[];
  readonly starttls: boolean;
  readonly ca_file: string | undefined;
  /** Empty: anonymous search. */
  readonly bind_dn: string;
  readonly bind_password: string;
  readonly user_base: string;
  readonly user_filter: string;
  /** Undefined: no group search. */
  readonly group_base: string | undefined;
  readonly group_filter: string;
  readonly group_map: Readonly<Record<string, readonly string[]>>;
  readonly admin_groups: readonly string[];
}

export interface TerminalConfig {
  /** `LANG` sent to hosts; undefined: none. */
  readonly lang: string | undefined;
  /** Allowed targets of quick connect; empty: all but `REFUSED` of adapters/quick-targets.ts. */
  readonly allowed_targets: readonly string[];
}

export interface KeeperConfig {
  /** Whether terminals run in a keeper, and so outlive the gateway. */
  readonly enabled: boolean;
  /** Folder of its socket. */
  readonly dir: string;
}

export interface RecordingConfig {
  readonly dir: string;
  /** Takes recordings that are over; undefined: they stay in `dir`. */
  readonly store: RecordingsStoreConfig | undefined;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly root_path: string;
  readonly data_dir: string;
  readonly database_url: string;
  readonly secret_key: string | undefined;
  readonly secret_key_previous: string | undefined;
  readonly allow_insecure_secret: boolean;
  readonly admin_password: string | undefined;
  /** How long a session stays fresh after its sign-in or step-up. */
  readonly step_up_s: number;
  readonly verify_host_keys: boolean;
  readonly connect_timeout_ms: number;
  readonly monitor: {
    readonly disabled: boolean;
  };
  readonly terminals: TerminalConfig;
  readonly recordings: RecordingConfig;
  readonly keeper: KeeperConfig;
  /** Where other instances reach this one; undefined: derived from the listen address. */
  readonly instance_url: string | undefined;
  readonly trusted_proxies: readonly string[];
  readonly allowed_origins: readonly string[];
  /** Content-Security-Policy sources; empty: none. */
  readonly frame_ancestors: readonly string[];
  readonly ldap: LdapConfig | undefined;
  readonly demo_mode: boolean;
  /** Allows webhooks over http and to private addresses. */
  readonly webhook_allow_private: boolean;
  readonly config_locked: boolean;
  /** Used only by the backup commands. */
  readonly backup_passphrase: string | undefined;
  /** Defaults of the settings that administrators can change at run time. */
  readonly setting_values: Readonly<SettingValues>;
  readonly settings_in_environment: ReadonlySet<SettingKey>;
  /** How long requests are still answered after a stop signal. */
  readonly drain_ms: number;
  /** Bearer token that may read the metrics; undefined: administrators only. */
  readonly metrics_token: string | undefined;
  /** OpenTelemetry spans; needs `@opentelemetry/api`. */
  readonly tracing: boolean;
  readonly instance_id: string;
  readonly log_level: string;
  readonly log_format: 'pretty' | 'json';
}

export function parseConfig(environment: Readonly<Record<string, string>>): Config {
  const env = parseVariables(Environment, environment);
  const data_dir = resolve(env.SERVICE_DATA_DIR);
  const values = settingValues(env);
  return {
    host: env.SERVICE_HOST,
    port: env.SERVICE_PORT,
    root_path: env.SERVICE_ROOT_PATH,
    data_dir,
    database_url: env.SERVICE_DB_URL ?? join(data_dir, 'sallyport.db'),
    secret_key: env.SERVICE_SECRET_KEY,
    secret_key_previous: env.SERVICE_SECRET_KEY_PREVIOUS,
    allow_insecure_secret: env.SERVICE_ALLOW_INSECURE_SECRET,
    admin_password: env.SERVICE_ADMIN_PASSWORD,
    step_up_s: env.SERVICE_STEP_UP_SECONDS,
    verify_host_keys: env.SERVICE_VERIFY_HOST_KEYS,
    connect_timeout_ms: env.SERVICE_SSH_CONNECT_TIMEOUT * 1000,
    monitor: {
      disabled: env.SERVICE_DISABLE_MONITOR,
    },
    terminals: {
      lang: env.SERVICE_TERMINAL_LANG === 'none' ? undefined : env.SERVICE_TERMINAL_LANG,
      allowed_targets: env.SERVICE_ALLOWED_TARGETS,
    },
    keeper: {
      enabled: env.SERVICE_KEEPER === 'on',
      dir: join(data_dir, 'keeper'),
    },
    recordings: {
      dir: resolve(env.SERVICE_RECORDINGS_DIR),
      store: recordingsStore(env),
    },
    instance_url: env.SERVICE_INSTANCE_URL?.replace(/\/+$/, ''),
    trusted_proxies: env.SERVICE_TRUSTED_PROXIES,
    allowed_origins: env.SERVICE_ALLOWED_ORIGINS,
    frame_ancestors: env.SERVICE_FRAME_ANCESTORS,
    ldap: env.SERVICE_LDAP_ENABLED ? ldapConfig(env) : undefined,
    demo_mode: env.SERVICE_DEMO_MODE,
    webhook_allow_private: env.SERVICE_WEBHOOK_ALLOW_PRIVATE,
    config_locked: env.SERVICE_CONFIG_LOCKED,
    backup_passphrase: env.SERVICE_BACKUP_PASSPHRASE,
    setting_values: values,
    settings_in_environment: new Set(SETTING_KEYS.filter((key) => SETTINGS[key].variable in environment)),
    drain_ms: env.SERVICE_DRAIN_SECONDS * 1000,
    metrics_token: env.SERVICE_METRICS_TOKEN,
    tracing: env.SERVICE_TRACING,
    instance_id: env.SERVICE_INSTANCE_ID ?? crypto.randomUUID(),
    log_level: values.log_level,
    log_format: env.SERVICE_LOG_FORMAT,
  };
}

/** Each value has passed the check of its setting. */
function settingValues(env: Readonly<Record<SettingVariable, SettingValue>>): SettingValues {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, env[SETTINGS[key].variable]])) as SettingValues;
}

function ldapConfig(env: z.infer<typeof Environment>): LdapConfig {
  const urls = required('SERVICE_LDAP_URL', env.SERVICE_LDAP_URL);
  const user_base = required('SERVICE_LDAP_USER_BASE', env.SERVICE_LDAP_USER_BASE);
  if (env.SERVICE_LDAP_STARTTLS && urls.some((url) => url.startsWith('ldaps:'))) {
    throw new ConfigError('SERVICE_LDAP_STARTTLS: works only with ldap://; ldaps:// already uses TLS');
  }
  // RFC 4513 §5.1.2: a bind without a password is anonymous.
  if (env.SERVICE_LDAP_BIND_DN !== undefined) {
    required('SERVICE_LDAP_BIND_PASSWORD', env.SERVICE_LDAP_BIND_PASSWORD);
  }
  return {
    urls,
    starttls: env.SERVICE_LDAP_STARTTLS,
    ca_file: env.SERVICE_LDAP_CA_FILE,
    bind_dn: env.SERVICE_LDAP_BIND_DN ?? '',
    bind_password: env.SERVICE_LDAP_BIND_PASSWORD ?? '',
    user_base,
    user_filter: env.SERVICE_LDAP_USER_FILTER,
    group_base: env.SERVICE_LDAP_GROUP_BASE,
    group_filter: env.SERVICE_LDAP_GROUP_FILTER,
    group_map: env.SERVICE_LDAP_GROUP_MAP,
    admin_groups: env.SERVICE_LDAP_ADMIN_GROUPS,
  };
}

/** A server without TLS beside others with it would be the way for passwords to leak. */
function isAlike(urls: readonly string[]): boolean {
  return new Set(urls.map((url) => url.split(':')[0])).size === 1;
}

function required<Value>(name: keyof typeof VARIABLES, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`${name}: must be set when LDAP is enabled`);
  return value;
}

/** `SERVICE_*` variables that this version does not know; usually misspelled. */
export function unknownVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.keys(environment).filter((name) => !(name in VARIABLES));
}

/** The current configuration, one line per variable, secrets masked. */
export function describeConfig(environment: Readonly<Record<string, string>>): string {
  const config = parseConfig(environment);
  const parsed = Environment.parse(environment);
  const values: Record<string, unknown> = {
    ...parsed,
    SERVICE_DATA_DIR: config.data_dir,
    SERVICE_RECORDINGS_DIR: config.recordings.dir,
    SERVICE_RECORDINGS_S3_FORCE_PATH_STYLE: config.recordings.store?.force_path_style,
    SERVICE_DB_URL: withoutPassword(config.database_url),
    SERVICE_LDAP_GROUP_MAP: JSON.stringify(parsed.SERVICE_LDAP_GROUP_MAP),
    SERVICE_LDAP_ADMIN_GROUPS: JSON.stringify(parsed.SERVICE_LDAP_ADMIN_GROUPS),
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
