import { isFrameAncestor, isOrigin } from '#core/lib/network/origins.ts';
import { flag, isRootPath, list, secret, text } from './values.ts';

/** Variables of a gateway that an edge in front of it reads, too, with the same values. */
export const SHARED = {
  SERVICE_ROOT_PATH: text()
    .refine(isRootPath, 'must be empty or a path such as /ssh')
    .transform((path) => path.replace(/\/+$/, ''))
    .default(''),
  SERVICE_SECRET_KEY: secret(text().optional()),
  SERVICE_VERIFY_HOST_KEYS: flag().default(true),
  SERVICE_ALLOWED_ORIGINS: list(
    isOrigin,
    'must be origins such as https://a.example, separated by commas',
  ).default([]),
  SERVICE_FRAME_ANCESTORS: list(
    isFrameAncestor,
    "must be origins such as https://a.example or https://*.example, or 'self', separated by commas",
  ).default([]),
  SERVICE_DEMO_MODE: flag().default(false),
  SERVICE_INSTANCE_ID: text().optional(),
} as const;

export const MIN_SECRET_LENGTH = 16;
export const SECRET_FIX = 'Set it to a long random text, for example the output of: openssl rand -base64 32';
