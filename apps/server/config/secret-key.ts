import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createKeyring, type Keyring } from '#core/crypto/keyring.ts';
import { codeOf } from '#core/lib/errors/error-code.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { SECRET_FIX as FIX, MIN_SECRET_LENGTH as MIN_LENGTH } from './shared-variables.ts';

export interface SecretKey {
  readonly secret_key: string;
  readonly warning?: string;
}

/** A configured key; on loopback, or when explicitly allowed, a generated key in the data directory. */
export async function resolveSecretKey(config: Config): Promise<SecretKey> {
  const { secret_key, allow_insecure_secret } = config;
  if (secret_key !== undefined && secret_key.length >= MIN_LENGTH) return { secret_key };
  if (secret_key !== undefined) {
    if (!allow_insecure_secret)
      throw new ConfigError(`SERVICE_SECRET_KEY: must have at least ${MIN_LENGTH} characters. ${FIX}`);
    return { secret_key, warning: `SERVICE_SECRET_KEY is shorter than ${MIN_LENGTH} characters. ${FIX}` };
  }
  if (!allow_insecure_secret && !isLoopback(config.host)) {
    throw new ConfigError(
      `SERVICE_SECRET_KEY: must be set when the gateway listens on ${config.host}. ${FIX}`,
    );
  }
  const path = join(config.data_dir, 'secret.key');
  return {
    secret_key: await readOrCreate(path).catch((error: unknown) => {
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(
        `SERVICE_DATA_DIR: cannot store the secret key in ${path} (${String(codeOf(error) ?? error)})`,
      );
    }),
    warning: `SERVICE_SECRET_KEY is not set: using the generated key in ${path}. ${FIX}`,
  };
}

/** For commands beside the gateway: the existing key, never a new one. */
export async function existingSecretKey(config: Config): Promise<string> {
  const path = join(config.data_dir, 'secret.key');
  if (config.secret_key === undefined && !existsSync(path)) {
    throw new ConfigError(
      `SERVICE_SECRET_KEY: must be set to the key of the gateway, or SERVICE_DATA_DIR to its data directory: ${path} does not exist`,
    );
  }
  return (await resolveSecretKey({ ...config, allow_insecure_secret: true })).secret_key;
}

/** The current keyring and, during a key change, the previous one. */
export async function keyringsOf(
  { secret_key_previous }: Pick<Config, 'secret_key_previous'>,
  secret_key: string,
): Promise<[Keyring, Keyring | undefined]> {
  const previous = secret_key_previous === undefined ? undefined : await createKeyring(secret_key_previous);
  return [await createKeyring(secret_key), previous];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Linked into place: when two instances start at once, one key wins, and a full disk leaves no partial key. */
async function readOrCreate(path: string): Promise<string> {
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    try {
      await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
      await link(draft, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }
  const key = (await readFile(path, 'utf8')).trim();
  if (key.length < MIN_LENGTH)
    throw new ConfigError(`SERVICE_SECRET_KEY: the key in ${path} is damaged. ${FIX}`);
  return key;
}
