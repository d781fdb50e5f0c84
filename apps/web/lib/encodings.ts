/** The encodings that hosts still use, by script; others can be set through the API. */
export const ENCODINGS = {
  'utf-8': 'unicode',
  gbk: 'chinese_simplified',
  gb18030: 'chinese_simplified',
  big5: 'chinese_traditional',
  shift_jis: 'japanese',
  'euc-jp': 'japanese',
  'iso-2022-jp': 'japanese',
  'euc-kr': 'korean',
  'iso-8859-1': 'western',
  'iso-8859-15': 'western',
  'windows-1252': 'western',
  macintosh: 'western',
  'iso-8859-2': 'central_european',
  'windows-1250': 'central_european',
  'iso-8859-3': 'south_european',
  'iso-8859-4': 'baltic',
  'iso-8859-13': 'baltic',
  'windows-1257': 'baltic',
  'iso-8859-10': 'nordic',
  'iso-8859-14': 'celtic',
  'iso-8859-16': 'romanian',
  'koi8-r': 'cyrillic',
  'koi8-u': 'cyrillic',
  'windows-1251': 'cyrillic',
  'iso-8859-5': 'cyrillic',
  ibm866: 'cyrillic',
  'x-mac-cyrillic': 'cyrillic',
  'iso-8859-7': 'greek',
  'windows-1253': 'greek',
  'iso-8859-9': 'turkish',
  'windows-1254': 'turkish',
  'iso-8859-6': 'arabic',
  'windows-1256': 'arabic',
  'iso-8859-8': 'hebrew',
  'iso-8859-8-i': 'hebrew',
  'windows-1255': 'hebrew',
  'windows-874': 'thai',
  'windows-1258': 'vietnamese',
  'utf-16le': 'unicode',
  'utf-16be': 'unicode',
} as const;

/** What programs for Windows and DOS write into ZIP archives. */
export const ARCHIVE_ENCODINGS: Readonly<Record<string, Script>> = {
  'utf-8': 'unicode',
  cp437: 'western',
  cp850: 'western',
  'windows-1252': 'western',
  shift_jis: 'japanese',
  'euc-jp': 'japanese',
  gbk: 'chinese_simplified',
  big5: 'chinese_traditional',
  'euc-kr': 'korean',
  ibm866: 'cyrillic',
  'windows-1251': 'cyrillic',
  'koi8-r': 'cyrillic',
  'windows-1250': 'central_european',
  'windows-1253': 'greek',
  'windows-1254': 'turkish',
  'windows-1255': 'hebrew',
  'windows-1256': 'arabic',
  'windows-1257': 'baltic',
  'windows-1258': 'vietnamese',
  'windows-874': 'thai',
};

export type Script = (typeof ENCODINGS)[keyof typeof ENCODINGS];

const NAMES: Readonly<Record<string, string>> = { big5: 'Big5', shift_jis: 'Shift_JIS' };
const IN_LOWER_CASE = /^(windows|mac|x-)/;

/** By the names that people write. A label that was set through the API is listed as it is. */
export function encodingOptions(
  present: string,
  scriptName: (script: Script) => string,
  encodings: Readonly<Record<string, Script>> = ENCODINGS,
) {
  const listed = Object.entries(encodings).map(([encoding, script]) => ({
    value: encoding === present.toLowerCase() ? present : encoding,
    label: `${encodingName(encoding)} (${scriptName(script)})`,
  }));
  const is_listed = listed.some(({ value }) => value === present);
  return is_listed ? listed : [...listed, { value: present, label: present }];
}

export function encodingName(encoding: string): string {
  return NAMES[encoding] ?? (IN_LOWER_CASE.test(encoding) ? encoding : encoding.toUpperCase());
}
