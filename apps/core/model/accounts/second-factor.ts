import { z } from 'zod';
import { LoginResult } from './user.ts';

/** Long enough for a recovery code with spaces. */
export const Code = z.string().min(1).max(64).describe('Six digits or a recovery code');

export const CodeInput = z.strictObject({ code: Code }).meta({ id: 'CodeInput' });
export type CodeInput = z.infer<typeof CodeInput>;

export const TotpSetup = z
  .object({
    secret: z.string().describe('Base32, for typing'),
    qr_uri: z.string().describe('`otpauth://…`, for a QR code'),
  })
  .meta({ id: 'TotpSetup' });
export type TotpSetup = z.infer<typeof TotpSetup>;

export const RecoveryCodes = z
  .object({
    enabled: z.literal(true),
    recovery_codes: z.array(z.string()).describe('Each works once; shown only once'),
  })
  .meta({ id: 'RecoveryCodes' });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

export const TotpVerified = z.union([LoginResult, RecoveryCodes]).meta({ id: 'TotpVerified' });
export type TotpVerified = z.infer<typeof TotpVerified>;

export const TotpState = z
  .object({ enabled: z.boolean(), recovery_codes_left: z.int() })
  .meta({ id: 'TotpState' });
export type TotpState = z.infer<typeof TotpState>;

/** The second factor of a user as stored. */
export interface SecondFactorRow {
  readonly totp_enabled: boolean;
  /** Also set during setup, before the first code. */
  readonly totp_secret_sealed: string | null;
  /** RFC 6238 time step of the last accepted code. */
  readonly totp_last_step: number | null;
  readonly recovery_digests: readonly string[];
}
