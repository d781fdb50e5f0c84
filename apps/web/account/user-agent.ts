export interface Agent {
  readonly browser: string;
  /** Undefined for clients that are not browsers. */
  readonly system?: string;
}

type Signs = readonly (readonly [sign: RegExp, name: string])[];

// Order matters: nearly every browser also claims to be the ones below it.
const BROWSERS: Signs = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const SYSTEMS: Signs = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Browser and system for recognizing a device; undefined if the user agent names neither. */
export function agentOf(user_agent: string): Agent | undefined {
  const browser = nameIn(BROWSERS, user_agent);
  const system = nameIn(SYSTEMS, user_agent);
  if (browser !== undefined) return system === undefined ? { browser } : { browser, system };
  const program = /^([\w.-]+)(\/|\s|$)/.exec(user_agent)?.[1];
  return program === undefined || program === 'Mozilla' ? undefined : { browser: program };
}

function nameIn(signs: Signs, text: string): string | undefined {
  return signs.find(([sign]) => sign.test(text))?.[1];
}
