import DOMPurify from 'dompurify';
import { webUrl } from './markdown.ts';

const TAGS = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'bdi', 'a'],
  ...['h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** Turns HTML into nodes. Nothing in them runs or fetches, and links open apart from this page. */
export function createSanitizer(window: Window & typeof globalThis): (html: string) => DocumentFragment {
  const purify = DOMPurify(window);
  purify.addHook('afterSanitizeAttributes', (element) => {
    if (element.tagName !== 'A') return;
    const url = webUrl(element.getAttribute('href') ?? '');
    if (!url) return element.removeAttribute('href');
    element.setAttribute('target', '_blank');
    element.setAttribute('rel', 'noopener noreferrer');
  });
  return (html) =>
    purify.sanitize(html, {
      ALLOWED_TAGS: TAGS,
      ALLOWED_ATTR: ['href', 'start'],
      ADD_URI_SAFE_ATTR: ['start'],
      ALLOWED_URI_REGEXP: /^https?:\/\//i,
      ALLOW_ARIA_ATTR: false,
      ALLOW_DATA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    });
}
