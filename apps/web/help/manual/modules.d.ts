/** What `modules.ts` makes of the manual when the page is built. */
declare module 'virtual:manual/headings' {
  export const pages: readonly import('./rendered.ts').PageHeadings[];
}

declare module 'virtual:manual/sections' {
  export const sections: readonly import('./rendered.ts').Section[];
}

declare module 'virtual:manual/about' {
  export const about: import('./rendered.ts').About;
}
