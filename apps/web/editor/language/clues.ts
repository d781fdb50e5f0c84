/** File names missing from the grammar list, mapped to a name of that list. */
export const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\/nginx\/(.*\.conf|(sites-(available|enabled)|conf\.d|snippets)\/[^/]+)$/, 'Nginx'],
  [
    /\/\.?(bashrc|bash\.bashrc|bash_(profile|login|logout|aliases)|zsh(rc|env)|zprofile|kshrc|profile|envrc)$/,
    'Shell',
  ],
  [/\/(APKBUILD)$|\.(zsh|bats|ebuild|command)$/, 'Shell'],
  [/\/(Dockerfile|Containerfile)(\.[^/]+)?$|\.(dockerfile|containerfile)$/i, 'Dockerfile'],
  [/\.(jsonc|json5|webmanifest|geojson|ipynb|har|code-workspace)$|\/\.(babel|eslint|prettier)rc$/, 'JSON'],
  [/\/(Vagrantfile|Guardfile|Podfile|Fastfile|Brewfile)$|\.(rake|gemspec|podspec|ru)$/, 'Ruby'],
  [/\/(SConstruct|SConscript|wscript)$|\.(pyi|wsgi)$/, 'Python'],
  [/\/(Cargo|poetry|uv)\.lock$|\/Pipfile$/, 'TOML'],
  [/\/\.(clang-format|clang-tidy|yamllint)$|\.(sls|yaml-tmlanguage)$/, 'YAML'],
  [/\.(plist|rss|atom|csproj|vcxproj|props|targets|xaml|wsdl|xslt|kml|gpx|opml)$/, 'XML'],
  [/\.(service|socket|timer|mount|automount|slice|network|netdev|link|desktop)$/, 'Properties files'],
  [
    /\.(conf|cnf|cfg|config|repo|editorconfig|gitconfig|gitmodules|npmrc|pylintrc|flake8)$/,
    'Properties files',
  ],
  [/\/\.env(\.[^/]+)?$|\.env$|\/sshd?_config$/, 'Properties files'],
];

/** Text files without a grammar. */
export const PLAIN = /\.(txt|text|log)(\.\d+)?$|\/(syslog|messages|README|LICENSE|COPYING|NOTICE)(\.\d+)?$/i;

/** Suffixes after the real file name: templates and copies. */
export const SUFFIX =
  /(\.(j2|jinja2?|tmpl|tpl|template|gotmpl|erb|ejs|mustache|hbs|njk|in|dist|sample|example|default|bak|backup|orig|old|save|new|rpm(new|save|orig)|(dpkg|ucf)-(dist|old|new|bak)|disabled)|~)$/i;

/** Programs named after `#!`, without their version. */
export const INTERPRETERS: ReadonlyMap<string, string> = new Map([
  ...['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'bats', 'openrc-run'].map(
    (name) => [name, 'Shell'] as const,
  ),
  ...['python', 'pypy', 'uv'].map((name) => [name, 'Python'] as const),
  ...['node', 'nodejs', 'bun', 'gjs', 'qjs'].map((name) => [name, 'JavaScript'] as const),
  ...['deno', 'tsx', 'ts-node'].map((name) => [name, 'TypeScript'] as const),
  ...['tclsh', 'wish', 'expect'].map((name) => [name, 'Tcl'] as const),
  ['luajit', 'Lua'],
  ['rscript', 'R'],
  ['pwsh', 'PowerShell'],
  ['guile', 'Scheme'],
  ['runhaskell', 'Haskell'],
  ['nginx', 'Nginx'],
]);

/** Names used by other editors, mapped to the grammar list. */
export const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ['sh', 'Shell'],
  ['conf', 'Properties files'],
  ['dosini', 'Properties files'],
  ['config', 'Properties files'],
  ['js', 'JavaScript'],
  ['ts', 'TypeScript'],
  ['cpp', 'C++'],
  ['cs', 'C#'],
  ['tex', 'LaTeX'],
  ['nroff', 'Troff'],
]);

/** Content patterns for files whose name gives no hint. */
export const OPENINGS: readonly (readonly [RegExp, string])[] = [
  [/^<\?php/, 'PHP'],
  [/^\s*<!doctype html|^\s*<html[\s>]/i, 'HTML'],
  [/^\s*<\?xml/, 'XML'],
  [/^(diff --git |--- \S.*\n\+\+\+ \S)/, 'diff'],
  [/^(%YAML|---\s*\n\S)/, 'YAML'],
];
