import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { flag, integer, isHttpUrl, secret, text } from './values.ts';

const GIB = 1024 ** 3;

/** The variables of the store for recordings. */
export const storeChecks = {
  SERVICE_RECORDINGS_S3_BUCKET: text()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  SERVICE_RECORDINGS_S3_ENDPOINT: text()
    .refine(isHttpUrl, 'must be a URL such as https://s3.example.com')
    .optional(),
  SERVICE_RECORDINGS_S3_REGION: text()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a region such as eu-central-1')
    .default('us-east-1'),
  SERVICE_RECORDINGS_S3_PREFIX: text()
    .regex(/^([\w.-]*\w[\w.-]*\/)*[\w.-]*\w[\w.-]*\/?$/, 'must be a path such as sallyport/recordings')
    .optional(),
  SERVICE_RECORDINGS_S3_FORCE_PATH_STYLE: flag().optional(),
  SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: secret(text().optional()),
  SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: secret(text().optional()),
  SERVICE_RECORDINGS_SPOOL_MAX_BYTES: integer(0, Number.MAX_SAFE_INTEGER).default(10 * GIB),
} as const;

const Variables = z.object(storeChecks);

/** Undefined without a bucket. */
export function recordingsStore(env: z.infer<typeof Variables>) {
  const credentials = credentialsIn(env);
  const {
    SERVICE_RECORDINGS_S3_BUCKET: bucket,
    SERVICE_RECORDINGS_S3_ENDPOINT: endpoint,
    SERVICE_RECORDINGS_S3_PREFIX: prefix = '',
  } = env;
  if (bucket === undefined) {
    if (endpoint !== undefined)
      throw new ConfigError('SERVICE_RECORDINGS_S3_BUCKET: must be set with an endpoint');
    return undefined;
  }
  return {
    bucket,
    /** Undefined: AWS. */
    endpoint,
    region: env.SERVICE_RECORDINGS_S3_REGION,
    /** Empty, or ends with a slash. */
    prefix: prefix.replace(/\/?$/, prefix === '' ? '' : '/'),
    force_path_style: env.SERVICE_RECORDINGS_S3_FORCE_PATH_STYLE ?? endpoint !== undefined,
    /** Undefined: the usual places of the AWS SDK. */
    credentials,
    /** 0: no limit. */
    spool_max_bytes: env.SERVICE_RECORDINGS_SPOOL_MAX_BYTES,
  };
}

function credentialsIn({
  SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: access_key_id,
  SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: secret_access_key,
}: z.infer<typeof Variables>) {
  if (access_key_id === undefined && secret_access_key === undefined) return undefined;
  if (access_key_id === undefined)
    throw new ConfigError('SERVICE_RECORDINGS_S3_ACCESS_KEY_ID: must be set with the secret access key');
  if (secret_access_key === undefined)
    throw new ConfigError('SERVICE_RECORDINGS_S3_SECRET_ACCESS_KEY: must be set with the access key ID');
  return { access_key_id, secret_access_key };
}
