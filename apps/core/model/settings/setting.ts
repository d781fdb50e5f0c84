import { z } from 'zod';
import { ORIGINS_LENGTH, type Origins, originsComplaint } from './origins.ts';

/** What the number of a setting counts. */
const SETTING_UNITS = ['seconds', 'days', 'bytes', 'count'] as const;
type SettingUnit = (typeof SETTING_UNITS)[number];

interface Whole {
  readonly kind: 'integer';
  readonly unit: SettingUnit;
  readonly min: number;
  readonly max: number;
  /** 0 is valid, too, and turns the setting off. */
  readonly or_zero?: true;
  readonly default: number;
}
interface Flag {
  readonly kind: 'boolean';
  readonly default: boolean;
}
interface Choice {
  readonly kind: 'choice';
  readonly choices: readonly [string, ...string[]];
  readonly default: string;
}
export type SettingSpec = (Whole | Flag | Choice | Origins) & {
  /** Name of the environment variable. */
  readonly variable: string;
  readonly help: string;
};

const DAY_S = 86_400;
const BYTES = Number.MAX_SAFE_INTEGER;

/** A new setting is one entry here: its check, its source, and how the page shows it. */
export const SETTINGS = {
  monitor_interval: {
    kind: 'integer',
    unit: 'seconds',
    min: 1,
    max: DAY_S,
    default: 60,
    variable: 'SERVICE_MONITOR_INTERVAL',
    help: 'Seconds from one check of all servers to the next',
  },
  monitor_timeout: {
    kind: 'integer',
    unit: 'seconds',
    min: 1,
    max: 600,
    default: 5,
    variable: 'SERVICE_MONITOR_TIMEOUT',
    help: 'Seconds that a check waits for a server',
  },
  monitor_concurrency: {
    kind: 'integer',
    unit: 'count',
    min: 1,
    max: 1000,
    default: 10,
    variable: 'SERVICE_MONITOR_CONCURRENCY',
    help: 'Key exchanges and sign-ins that the monitor runs at once',
  },
  session_timeout: {
    kind: 'integer',
    unit: 'seconds',
    min: 0,
    max: 31_536_000,
    default: 3600,
    variable: 'SERVICE_SESSION_TIMEOUT',
    help: 'Seconds without input and output after which a terminal ends; 0: never',
  },
  resume_seconds: {
    kind: 'integer',
    unit: 'seconds',
    min: 0,
    max: DAY_S,
    default: 120,
    variable: 'SERVICE_RESUME_SECONDS',
    help: 'Seconds that a shell outlives its broken connection',
  },
  max_sessions_per_user: {
    kind: 'integer',
    unit: 'count',
    min: 0,
    max: 100_000,
    default: 100,
    variable: 'SERVICE_MAX_SESSIONS_PER_USER',
    help: 'Terminals of one user at once; 0: no limit',
  },
  max_embeds_per_user: {
    kind: 'integer',
    unit: 'count',
    min: 0,
    max: 100_000,
    default: 100,
    variable: 'SERVICE_MAX_EMBEDS_PER_USER',
    help: 'Embedded sessions of one user at once; 0: no limit',
  },
  quick_connect: {
    kind: 'boolean',
    default: true,
    variable: 'SERVICE_QUICK_CONNECT',
    help: 'Whether people may connect to hosts that are not in the registry',
  },
  allowed_origins: {
    kind: 'origins',
    of: 'pages',
    default: '',
    variable: 'SERVICE_ALLOWED_ORIGINS',
    help: 'Other sites whose pages may use the API, open sockets and embed terminals and files, such as https://portal.example',
  },
  frame_ancestors: {
    kind: 'origins',
    of: 'frames',
    default: '',
    variable: 'SERVICE_FRAME_ANCESTORS',
    help: 'Sites whose pages may show the gateway in a frame, such as https://ops.example or https://*.ops.example',
  },
  webhook_allow_private: {
    kind: 'boolean',
    default: false,
    variable: 'SERVICE_WEBHOOK_ALLOW_PRIVATE',
    help: 'Whether webhooks, and the agent where its own switch is on, may use http and private addresses',
  },
  record_sessions: {
    kind: 'boolean',
    default: false,
    variable: 'SERVICE_RECORD_SESSIONS',
    help: 'Record terminals, unless a server’s own record says otherwise',
  },
  recording_max_bytes: {
    kind: 'integer',
    unit: 'bytes',
    min: 0,
    max: BYTES,
    default: 0,
    variable: 'SERVICE_RECORDING_MAX_BYTES',
    help: 'Bytes after which a recording stops; 0: no limit',
  },
  recording_retention_days: {
    kind: 'integer',
    unit: 'days',
    min: 1,
    max: 36_500,
    or_zero: true,
    default: 0,
    variable: 'SERVICE_RECORDING_RETENTION_DAYS',
    help: 'Days after which recordings are removed; 0: never',
  },
  recording_retention_bytes: {
    kind: 'integer',
    unit: 'bytes',
    min: 1_000_000,
    max: BYTES,
    or_zero: true,
    default: 0,
    variable: 'SERVICE_RECORDING_RETENTION_BYTES',
    help: 'Bytes of all recordings above which the oldest are removed; 0: no limit',
  },
  max_upload_size: {
    kind: 'integer',
    unit: 'bytes',
    min: 0,
    max: BYTES,
    default: 0,
    variable: 'SERVICE_MAX_UPLOAD_SIZE',
    help: 'Bytes that an uploaded file may have; 0: no limit',
  },
  audit_retention_days: {
    kind: 'integer',
    unit: 'days',
    min: 7,
    max: 36_500,
    or_zero: true,
    default: 0,
    variable: 'SERVICE_AUDIT_RETENTION_DAYS',
    help: 'Days after which audit entries are removed; 0: never',
  },
  audit_max_entries: {
    kind: 'integer',
    unit: 'count',
    min: 10_000,
    max: 2_000_000_000,
    or_zero: true,
    default: 0,
    variable: 'SERVICE_AUDIT_MAX_ENTRIES',
    help: 'Audit entries above which the oldest are removed; 0: no limit',
  },
  log_level: {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    variable: 'SERVICE_LOG_LEVEL',
    help: 'The least important lines that are logged',
  },
} as const satisfies Record<string, SettingSpec>;

export type SettingKey = keyof typeof SETTINGS;
export type SettingVariable = (typeof SETTINGS)[SettingKey]['variable'];

/** The value of each setting. */
export type SettingValues = {
  [Key in SettingKey]: (typeof SETTINGS)[Key] extends Whole
    ? number
    : (typeof SETTINGS)[Key] extends Flag
      ? boolean
      : (typeof SETTINGS)[Key] extends Origins
        ? string
        : (typeof SETTINGS)[Key] extends { readonly choices: readonly (infer Word)[] }
          ? Word
          : never;
};

/** Current values of some settings; read them each time, because they change. */
export interface InForce<Key extends SettingKey> {
  readonly values: Readonly<Pick<SettingValues, Key>>;
}

/** In registry order. */
export const SETTING_KEYS = keysOf(SETTINGS);

/** The registry has no other keys. */
function keysOf<T extends object>(object: T): readonly (keyof T)[] {
  return Object.keys(object) as (keyof T)[];
}

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTINGS, text);
}

/** Why the value is invalid; undefined when it is valid. */
export function settingComplaint(key: SettingKey, value: unknown): string | undefined {
  const spec: SettingSpec = SETTINGS[key];
  switch (spec.kind) {
    case 'integer': {
      const { min, max, or_zero } = spec;
      const fits = z.int().min(min).max(max).safeParse(value).success || (or_zero && value === 0);
      return fits ? undefined : `Must be ${or_zero ? '0 or ' : ''}a whole number from ${min} to ${max}`;
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Must be true or false';
    case 'choice':
      return spec.choices.some((choice) => choice === value)
        ? undefined
        : `Must be one of ${spec.choices.join(', ')}`;
    case 'origins':
      return originsComplaint(spec, value);
  }
}

export const SettingKeyName = z.enum(SETTING_KEYS).meta({ 'x-extensible': true });
export const SettingValue = z
  .union([
    z.int(),
    z.boolean(),
    z.string().max(100),
    z.string().max(ORIGINS_LENGTH).describe('Of a setting of the kind `origins`'),
  ])
  .meta({ 'x-extensible': true });
export type SettingValue = z.infer<typeof SettingValue>;

export const Setting = z
  .object({
    key: SettingKeyName,
    value: SettingValue,
    source: z.enum(['admin', 'environment', 'default']).describe('`admin` overrides `environment`'),
    default: SettingValue.describe(
      'Value when no administrator has set it: from the environment, or the default',
    ),
    kind: z
      .enum(['integer', 'boolean', 'choice', 'origins'])
      .meta({ 'x-extensible': true })
      .describe('`origins`: sites, separated by commas'),
    unit: z.enum(SETTING_UNITS).optional().describe('Of an integer: what it counts'),
    min: z.int().optional(),
    max: z.int().optional(),
    or_zero: z.boolean().optional().describe('True when 0 is valid, too, and turns the setting off'),
    choices: z.array(z.string()).optional(),
    variable: z.string().describe('Environment variable'),
    help: z.string(),
  })
  .meta({ id: 'Setting' });
export type Setting = z.infer<typeof Setting>;

export const SettingList = z
  .object({
    locked: z
      .boolean()
      .describe('True when `SERVICE_CONFIG_LOCKED` forbids changes; stored values are then not in force'),
    settings: z.array(Setting),
  })
  .meta({ id: 'Settings' });
export type SettingList = z.infer<typeof SettingList>;

export const SettingsInput = z
  .strictObject({ values: z.partialRecord(SettingKeyName, SettingValue) })
  .meta({ id: 'SettingsInput' });
export type SettingsInput = z.infer<typeof SettingsInput>;

export const SettingsReset = z
  .strictObject({ keys: z.array(SettingKeyName).min(1).max(100) })
  .meta({ id: 'SettingsReset' });
export type SettingsReset = z.infer<typeof SettingsReset>;
