type Describe = (found: string) => string;

const PUBLIC_KIND = /^(?:ssh-[a-z0-9]{2,10}|ecdsa-sha2-[a-z0-9]{2,12}|sk-[a-z0-9@.-]{2,40}) (?=AAAA)/;
const CERTIFICATE_KIND = /^[a-z0-9-]{2,40}-cert-v0[01]@openssh\.com (?=AAAA)/;

/** What people paste instead of a private key. Messages repeat only what cannot be secret. */
const OTHER_FORMATS: readonly (readonly [RegExp, Describe])[] = [
  [CERTIFICATE_KIND, (kind) => `This is a certificate (${kind}), not a private key`],
  [PUBLIC_KIND, (kind) => `This is a public key (${kind}), not a private one`],
  [/^---- BEGIN SSH2 PUBLIC KEY ----/, (line) => `This is a public key (${line}), not a private one`],
  [
    /^---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----/,
    (line) => `This is an SSH.com/Tectia key (${line}): export it in OpenSSH format`,
  ],
  [/^-----BEGIN (?:RSA )?PUBLIC KEY-----/, (line) => `This is a public key (${line}), not a private one`],
  [
    /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/,
    () => 'This is an X.509 certificate, not a private key',
  ],
  [/^-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/, () => 'This is a certificate request, not a private key'],
  [/^-----BEGIN PGP /, () => 'This is a PGP key or message, which SSH does not use'],
  [/^SSH PRIVATE KEY FILE FORMAT 1\.1/, () => 'This is a key of SSH version 1, which is not supported'],
  [/(?:^|\n)AGE-SECRET-KEY-1/, () => 'This is an age key, which SSH does not use'],
  [
    /^(?:-----BEGIN AGE ENCRYPTED FILE-----|age-encryption\.org\/)/,
    () => 'This is a file encrypted with age: decrypt it first',
  ],
  [/^\$ANSIBLE_VAULT;/, () => 'This is a file encrypted with Ansible Vault: decrypt it first'],
  [/^\{[\s\S]*"kty"/, () => 'This is a JSON Web Key: export it in OpenSSH or PEM format'],
  [
    /^(?:~|\.{0,2}\/|[A-Za-z]:\\)[^\n]{0,200}(?:id_|\.pem|\.ppk|\.key|\.ssh)[^\n]{0,100}$/,
    () => 'This is the name of a file: paste the contents of the file',
  ],
];

/** What a text without a private key is; undefined when it matches no known format. */
export function describeOtherFormat(text: string): string | undefined {
  for (const [pattern, describe] of OTHER_FORMATS) {
    const found = pattern.exec(text);
    if (found) return describe(found[0].trim());
  }
  return describeBareText(text);
}

const KEY_STORE = 'This is a Java key store (JKS): export the key in PEM format';
const PKCS12 = 'This is a PKCS#12 file: export the key in PEM format';

/** Recognizes binary files, raw or in base64, without PEM header lines. */
function describeBareText(text: string): string | undefined {
  if (/[\uFFFD\0]/.test(text)) return describeBinary(text);
  const compact = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(compact)) return undefined;
  const bytes = Buffer.from(compact, 'base64');
  if (bytes.readUInt32BE() === 0xfeedfeed) return KEY_STORE;
  if (isPkcs12(bytes)) return PKCS12;
  const is_key = bytes[0] === SEQUENCE || bytes.toString('latin1').startsWith('openssh-key-v1\0');
  return is_key ? 'This is a key without its BEGIN and END lines: paste those too' : undefined;
}

const SEQUENCE = 0x30;
const VERSION_3 = '\x02\x01\x03';

/** Recognizes binary data that was decoded as UTF-8: a key store starts with FE ED FE ED, which is invalid UTF-8. */
function describeBinary(text: string): string {
  if (/^\uFFFD{4}\0\0\0/.test(text)) return KEY_STORE;
  if (text.charCodeAt(0) !== SEQUENCE) return 'This is a binary file, not text';
  const is_pkcs12 = text.slice(1, 8).includes(VERSION_3);
  return is_pkcs12 ? PKCS12 : 'This is a binary file (DER): export the key in PEM format';
}

/** A sequence with a two-byte length that starts with version 3 (RFC 7292 §4). */
function isPkcs12(bytes: Buffer): boolean {
  return bytes[0] === SEQUENCE && bytes[1] === 0x82 && bytes.toString('latin1', 4, 7) === VERSION_3;
}
