import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Sallyport';
const SECRET_BYTES = 20; // RFC 4226 §4: 160 bits recommended
const RECOVERY_BYTES = 10; // 80 bits: too many to guess, so a plain digest may be stored
const PERIOD_S = 30;
const DRIFT_STEPS = 1;

/** Base32, a new one each time. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** `otpauth://totp/…`, what authenticator applications read from a QR code. */
export function totpUri(secret: string, username: string): string {
  return totpOf(secret, username).toString();
}

/** The time step (RFC 6238) that six digits belong to, at most one step from `now`; undefined when to none. */
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

/** SHA-1, since many authenticator applications ignore any other choice. */
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
