import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Sallyport';
const SECRET_BYTES = 20; // RFC 4226 §4: 160 bits recommended
const RECOVERY_BYTES = 10; // 80 bits cannot be guessed, so an unsalted digest is enough
const PERIOD_S = 30;
const DRIFT_STEPS = 1;

/** A new random secret in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** `otpauth://totp/…`, for the QR code of authenticator apps. */
export function totpUri(secret: string, username: string): string {
  return totpOf(secret, username).toString();
}

/** The time step (RFC 6238) of a code, at most one step from `now`; undefined when it matches none. */
export function stepOfCode(secret: string, digits: string, now: Date): number | undefined {
  const delta = totpOf(secret, '').validate({
    token: digits,
    timestamp: now.getTime(),
    window: DRIFT_STEPS,
  });
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / PERIOD_S) + delta;
}

/** `abcd-efgh-ijkl-mnop`. */
export function newRecoveryCode(): string {
  const letters = new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase();
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/** SHA-1, because many authenticator apps ignore any other choice. */
function totpOf(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: Secret.fromBase32(secret),
  });
}
