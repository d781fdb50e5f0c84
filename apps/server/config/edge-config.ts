import { z } from 'zod';
import { isOrigin } from '#core/lib/network/origins.ts';
import { ConfigError, parseVariables } from './config-error.ts';
import { settingChecks } from './setting-checks.ts';
import { MIN_SECRET_LENGTH, SECRET_FIX, SHARED } from './shared-variables.ts';
import { isHttpUrl, text } from './values.ts';

const { SERVICE_QUICK_CONNECT, SERVICE_LOG_LEVEL } = settingChecks();

/** All variables of an edge. Those that its gateway has, too, must have the same values there. */
const VARIABLES = {
  ...SHARED,
  SERVICE_DB_URL: text()
    .refine(
      (url) => /^postgres(ql)?:\/\/./.test(url),
      'must be postgres://…: an edge shares the database of its worker',
    )
    .optional(),
  SERVICE_WORKER_URL: text()
    .transform((url) => url.replace(/\/+$/, ''))
    .refine(
      (url) => isOrigin(url) && isHttpUrl(url),
      'must be the origin of a gateway, such as https://worker.internal:8443',
    )
    .optional(),
  SERVICE_QUICK_CONNECT,
  SERVICE_LOG_LEVEL,
};

const Bindings = z.object(VARIABLES);

export interface EdgeConfig {
  readonly root_path: string;
  /** `postgres://…`, the worker's own database. */
  readonly database_url: string;
  /** The worker's `SERVICE_SECRET_KEY`. */
  readonly secret_key: string;
  /** Origin of the gateway that serves as the worker. */
  readonly worker_url: string;
  readonly instance_id: string;
  readonly demo_mode: boolean;
  readonly verify_host_keys: boolean;
  readonly quick_connect: boolean;
  readonly allowed_origins: readonly string[];
  readonly frame_ancestors: readonly string[];
  readonly log_level: string;
}

/** `bindings`: whatever the platform passes; what is not text named `SERVICE_…` is left alone, and an empty text is unset. */
export function parseEdgeConfig(bindings: Readonly<Record<string, unknown>>): EdgeConfig {
  const env = parseVariables(Bindings, variablesIn(bindings));
  return {
    root_path: env.SERVICE_ROOT_PATH,
    database_url: required('SERVICE_DB_URL', env.SERVICE_DB_URL),
    secret_key: longEnough(required('SERVICE_SECRET_KEY', env.SERVICE_SECRET_KEY)),
    worker_url: required('SERVICE_WORKER_URL', env.SERVICE_WORKER_URL),
    instance_id: env.SERVICE_INSTANCE_ID ?? crypto.randomUUID(),
    demo_mode: env.SERVICE_DEMO_MODE,
    verify_host_keys: env.SERVICE_VERIFY_HOST_KEYS,
    quick_connect: env.SERVICE_QUICK_CONNECT === true,
    allowed_origins: env.SERVICE_ALLOWED_ORIGINS,
    frame_ancestors: env.SERVICE_FRAME_ANCESTORS,
    log_level: String(env.SERVICE_LOG_LEVEL),
  };
}

/** `SERVICE_*` bindings that an edge does not use: misspelled, or of the gateway alone. */
export function unusedBindings(bindings: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(variablesIn(bindings)).filter((name) => !(name in VARIABLES));
}

function variablesIn(bindings: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(bindings).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith('SERVICE_') && typeof entry[1] === 'string' && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}

function required(name: keyof typeof VARIABLES, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name}: must be set for an edge`);
  return value;
}

function longEnough(secret_key: string): string {
  if (secret_key.length >= MIN_SECRET_LENGTH) return secret_key;
  throw new ConfigError(
    `SERVICE_SECRET_KEY: must have at least ${MIN_SECRET_LENGTH} characters. ${SECRET_FIX}`,
  );
}
