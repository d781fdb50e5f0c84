/** What stands for a secret. */
export const MASK = '[masked]';

const B64 = 'A-Za-z0-9+/=';
export type Rule = readonly [RegExp, string];

export const RULES: readonly Rule[] = [
  // Headers and schemes of HTTP.
  [
    /\b((?:proxy-)?authorization|x-(?:api|auth)-(?:key|token)|(?:set-)?cookie)(["']?[ \t]{0,10}[:=][ \t]{0,10}["']?)[^\n"']{1,4000}/gi,
    `$1$2${MASK}`,
  ],
  [/\b(Bearer[ \t]{1,10})[\w.~+/=-]{12,}/gi, `$1${MASK}`],
  [/\b(Basic[ \t]{1,10})(?=[A-Za-z]{0,200}[0-9+/=])[A-Za-z0-9+/]{8,}={0,2}/g, `$1${MASK}`],
  // Tokens with a known prefix.
  [/\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}/g, MASK],
  [/gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}/g, MASK],
  [/gl(?:pat|ptt|dt|rt|cbt|oas|soat|ft|imt|agent)-[\w-]{16,}/g, MASK],
  [/xox[a-z]-[\w-]{8,}|xapp-\d-[\w-]{8,}|hooks\.slack\.com\/services\/[\w/]{8,}/g, MASK],
  [/(?:[srp]k_(?:live|test)|whsec)_\w{8,}|sk-[\w-]{20,}|sq0[a-z]{3}-[\w-]{16,}/g, MASK],
  [/AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{16,}/g, MASK],
  [/eyJ[\w-]{17,}(?:\.[\w-]{2,}){0,4}/g, MASK],
  [/\bsp_[\w-]{40,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|dckr_pat_[\w-]{16,}/g, MASK],
  [/\bSG\.[\w-]{16,64}\.[\w-]{16,}|hv[sbr]\.[\w-]{20,}|do[opr]_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{20,}/g, MASK],
  [/AGE-SECRET-KEY-1\w{10,}|tskey-[\w-]{10,}|glsa_\w{20,}|lin_api_\w{20,}|gsk_\w{20,}|xai-\w{20,}/g, MASK],
  [new RegExp(`LS0tLS1CRUdJTi[${B64}]{20,}`, 'g'), MASK],
  [new RegExp(`(Private-Lines:[ \\t]{0,10}\\d{1,4})(?:\\r?\\n[${B64}]{1,200})+`, 'g'), `$1\n${MASK}`],
  // Hashes of passwords: crypt(3), LDAP, the fields of /etc/shadow and smbpasswd.
  [
    /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|sha1|md5|argon2[a-z]{0,2}|scrypt|pbkdf2[\w-]{0,20})\$[^\s:"']{8,}/g,
    MASK,
  ],
  [/\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]{0,20}|ARGON2\w{0,3})\}[^\s"']{8,}/gi, MASK],
  [/^([\w.-]{1,64}:)[^:\s]{10,200}(?=:\d{0,6}:\d{0,6}:\d{0,6}:)/gm, `$1${MASK}`],
  [/:[0-9A-FX]{32}:[0-9A-FX]{32}:/g, `:${MASK}:`],
  // .pgpass, .netrc and lines whose first word is the name of a secret.
  [/^((?:[^:\s\\]|\\[:\\]){1,255}:(?:\d{1,5}|\*):[^:\s]{1,128}:[^:\s]{1,128}:)[^\n]+/gm, `$1${MASK}`],
  [
    /\b(login[ \t]{1,40}\S{1,200}\s{1,40}(?:account\s{1,40}\S{1,200}\s{1,40})?password\s{1,40})\S{1,1000}/g,
    `$1${MASK}`,
  ],
  [
    /^([ \t]{0,40}(?:password|passwd|requirepass|masterauth|secret|rootpw|bindpw|tls-auth-key|ppp-password)[ \t]{1,40})(?![ \t:=])[^\n]+/gim,
    `$1${MASK}`,
  ],
  // Private members of a JSON Web Key (RFC 7518 §6).
  [/(["'](?:d|p|q|dp|dq|qi|k)["'][ \t\r\n]{0,20}:[ \t\r\n]{0,20}["'])[\w-]{16,8000}/g, `$1${MASK}`],
  [/(["']auth["'][ \t]{0,10}:[ \t]{0,10}["'])[^"'\n]{4,4000}/g, `$1${MASK}`],
  [/(\b_auth[ \t]{0,10}=[ \t]{0,10})\S{1,4000}/g, `$1${MASK}`],
];
