import { kindOfFile } from '../viewer/kind.ts';

/** What a file looks like in a list, by its name alone. */
export type LookOfFile =
  | 'text'
  | 'code'
  | 'config'
  | 'script'
  | 'key'
  | 'table'
  | 'image'
  | 'audio'
  | 'video'
  | 'archive'
  | 'other';

const ENDINGS: readonly (readonly [LookOfFile, RegExp])[] = [
  ['archive', /\.(zip|tar|t?gz|tgz|bz2|tbz2?|xz|txz|zst|lz4?|7z|rar|jar|war|deb|rpm|apk|iso|cpio)$/],
  [
    'key',
    /(\.(pem|key|crt|cer|csr|p12|pfx|asc|gpg|pub)|^id_(rsa|ed25519|ecdsa))$|^(authorized_keys|known_hosts)/,
  ],
  ['script', /\.(sh|bash|zsh|fish|ksh|bat|cmd|ps1)$/],
  ['table', /\.(csv|tsv|xlsx?|ods|sql|db|sqlite3?|parquet)$/],
  [
    'config',
    /\.(conf|cfg|cnf|ini|ya?ml|toml|env|properties|service|socket|timer|rules|repo|list|plist)$|^(\.env|\.?editorconfig|\.git(ignore|config|attributes)|dockerfile|makefile|crontab|fstab|hosts)$/,
  ],
  [
    'code',
    /\.([cm]?[jt]sx?|json[5cl]?|py|rb|go|rs|c|h|cc|cpp|hpp|java|kt|cs|php|pl|lua|swift|scala|html?|css|scss|less|xml|vue|svelte|tf|proto|diff|patch)$/,
  ],
  ['text', /\.(txt|md|rst|adoc|log|out|err|tex|rtf|pdf|docx?|odt)$|^(readme|license|changelog|copying)/],
];

export function lookOf(name: string): LookOfFile {
  const kind = kindOfFile(name);
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
  const lower = name.toLowerCase();
  return ENDINGS.find(([, pattern]) => pattern.test(lower))?.[0] ?? 'other';
}
