import { MASK, type Rule } from './rules.ts';
import { KEYWORDS } from './values.ts';

const NAMED = `\\b(?:name|key|id|property)\\s{0,5}=\\s{0,5}["'][^"'<>]{0,80}(?:${KEYWORDS})[\\w.-]{0,40}["']`;
const VALUED = '\\b(?:value|content|default)\\s{0,5}=\\s{0,5}';
const QUOTED = `(?:"[^"]{0,1000}"?|'[^']{0,1000}'?)`;

/** Values whose name stands in another attribute or element, as in XML of Spring, .NET, Tomcat, Android and Apple. */
export const MARKUP_RULES: readonly Rule[] = [
  [new RegExp(`(${NAMED}[^<>]{0,200}?${VALUED})${QUOTED}`, 'gi'), `$1"${MASK}"`],
  [new RegExp(`(${VALUED})${QUOTED}(?=[^<>]{0,200}?${NAMED})`, 'gi'), `$1"${MASK}"`],
  [new RegExp(`(${NAMED}[^<>]{0,200}>)[^<]{1,1000}`, 'gi'), `$1${MASK}`],
  [
    new RegExp(
      `(<key>[^<]{0,80}(?:${KEYWORDS})[^<]{0,40}</key>\\s{0,40}<(?:string|data)>)[^<]{1,4000}`,
      'gi',
    ),
    `$1${MASK}`,
  ],
];
