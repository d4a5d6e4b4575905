/** The version of this package (D6): fixed when the program is built, never read at run time. */
export const VERSION = "0.1.0";
