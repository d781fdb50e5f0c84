import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
  type SettingValues,
  type SettingVariable,
} from '#core/model/settings/setting.ts';
import { isAddressRange } from '../lib/address-ranges.ts';
import { parseVariables } from './config-error.ts';
import { ldapChecks, ldapConfig } from './ldap.ts';
import { recordingsStore, storeChecks } from './recordings-store.ts';
import { settingChecks } from './setting-checks.ts';
import { SHARED } from './shared-variables.ts';
import { flag, integer, isDatabaseUrl, isHttpUrl, isSecret, list, oneOf, secret, text } from './values.ts';

/** All variables, in the order of `sallyport config`. */
const VARIABLES = {
  SERVICE_HOST: text().default('127.0.0.1'),
  SERVICE_PORT: integer(0, 65_535).default(8443),
  ...SHARED,
  SERVICE_DATA_DIR: text().default('./data'),
  SERVICE_DB_URL: text().refine(isDatabaseUrl, 'must be a file path, file:… or postgres://…').optional(),
  SERVICE_SECRET_KEY_PREVIOUS: secret(text().optional()),
  SERVICE_ALLOW_INSECURE_SECRET: flag().default(false),
  SERVICE_ADMIN_PASSWORD: secret(text().optional()),
  SERVICE_STEP_UP_SECONDS: integer(1, 86_400).default(600),
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
  ...ldapChecks,
  SERVICE_CONFIG_LOCKED: flag().default(false),
  SERVICE_BACKUP_PASSPHRASE: secret(text().optional()),
  SERVICE_DRAIN_SECONDS: integer(0, 600).default(2),
  SERVICE_METRICS_TOKEN: secret(
    text()
      .regex(/^[!-~]{16,}$/, 'must have at least 16 characters and no spaces')
      .optional(),
  ),
  SERVICE_TRACING: flag().default(false),
  SERVICE_LOG_FORMAT: oneOf('pretty', 'json').default('pretty'),
} as const;

const Environment = z.object(VARIABLES);

export type Config = Readonly<ReturnType<typeof parseConfig>>;

export function parseConfig(environment: Readonly<Record<string, string>>) {
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
    /** How long a session stays fresh after its sign-in or step-up. */
    step_up_s: env.SERVICE_STEP_UP_SECONDS,
    verify_host_keys: env.SERVICE_VERIFY_HOST_KEYS,
    connect_timeout_ms: env.SERVICE_SSH_CONNECT_TIMEOUT * 1000,
    monitor: { disabled: env.SERVICE_DISABLE_MONITOR },
    terminals: {
      /** `LANG` sent to hosts; undefined: none. */
      lang: env.SERVICE_TERMINAL_LANG === 'none' ? undefined : env.SERVICE_TERMINAL_LANG,
      /** Allowed targets of quick connect; empty: all but `REFUSED` of adapters/quick-targets.ts. */
      allowed_targets: env.SERVICE_ALLOWED_TARGETS,
    },
    keeper: {
      /** Whether terminals run in a keeper, and so outlive the gateway. */
      enabled: env.SERVICE_KEEPER === 'on',
      /** Folder of its socket. */
      dir: join(data_dir, 'keeper'),
    },
    recordings: {
      dir: resolve(env.SERVICE_RECORDINGS_DIR),
      /** Takes recordings that are over; undefined: they stay in `dir`. */
      store: recordingsStore(env),
    },
    /** Where other instances reach this one; undefined: derived from the listen address. */
    instance_url: env.SERVICE_INSTANCE_URL?.replace(/\/+$/, ''),
    trusted_proxies: env.SERVICE_TRUSTED_PROXIES,
    ldap: ldapConfig(env),
    demo_mode: env.SERVICE_DEMO_MODE,
    config_locked: env.SERVICE_CONFIG_LOCKED,
    /** Used only by the backup commands. */
    backup_passphrase: env.SERVICE_BACKUP_PASSPHRASE,
    /** Defaults of the settings that administrators can change at run time. */
    setting_values: values,
    settings_in_environment: new Set<SettingKey>(
      SETTING_KEYS.filter((key) => SETTINGS[key].variable in environment),
    ),
    /** How long requests are still answered after a stop signal. */
    drain_ms: env.SERVICE_DRAIN_SECONDS * 1000,
    /** Bearer token that may read the metrics; undefined: administrators only. */
    metrics_token: env.SERVICE_METRICS_TOKEN,
    /** OpenTelemetry spans; needs `@opentelemetry/api`. */
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
  const lines = Object.entries(VARIABLES).map(([name, check]) => {
    const source = name in environment ? 'environment' : 'default';
    return `${name}=${shown(check, values[name])}  # ${source}`;
  });
  return lines.join('\n');
}

function shown(check: z.ZodType, value: unknown): string {
  if (value === undefined) return '';
  if (isSecret(check)) return '********';
  return Array.isArray(value) ? value.join(',') : String(value);
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password) parsed.password = '********';
  if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '********');
  return parsed.href;
}
