import { FilterParser } from 'ldapts';
import { z } from 'zod';

/** An LDAP filter (RFC 4515) with at least one of the placeholders. */
export function filter(...placeholders: readonly string[]) {
  return z
    .string()
    .refine(
      (template) => placeholders.some((placeholder) => template.includes(placeholder)),
      `must contain ${placeholders.join(' or ')}`,
    )
    .refine(isFilter, 'must be an LDAP filter with balanced parentheses, such as (uid={username})');
}

function isFilter(template: string): boolean {
  try {
    FilterParser.parseString(template.replace(/\{\w+\}/g, 'x'));
    return template.startsWith('(') && hasBalancedParentheses(template);
  } catch {
    return false;
  }
}

/** The parser accepts a missing final parenthesis. */
function hasBalancedParentheses(template: string): boolean {
  return template.split('(').length === template.split(')').length;
}
