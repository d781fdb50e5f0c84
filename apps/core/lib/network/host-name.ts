const LONGEST = 253;
const ASCII_CHARACTERS_OF_NAMES = /^[A-Za-z0-9._-]*$/;
const IPV4 = /^[\d.]+$/;

/**
 * The ASCII form of an internationalized host name (RFC 5891), such as `xn--mnchen-3ya.example`. Any other text comes
 * back unchanged, also digits of another script: they must not become an address.
 */
export function asciiHostName(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  const ascii = text.replaceAll(/[^\u0000-\u007f]/g, '');
  if (ascii.length === text.length || text.length > LONGEST) return text;
  if (!ASCII_CHARACTERS_OF_NAMES.test(ascii)) return text;
  const url = `http://${text}`;
  if (!URL.canParse(url)) return text;
  const { hostname } = new URL(url);
  return IPV4.test(hostname) ? text : hostname;
}
