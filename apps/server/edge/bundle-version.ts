declare const SALLYPORT_VERSION: string; // replaced by the build

/** A bundle has no package.json to read. */
export const BUNDLE_VERSION = SALLYPORT_VERSION;
