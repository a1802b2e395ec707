// @ts-check

/** An error that the user can fix: its message is printed without a stack trace; exit code 1. */
export class StartError extends Error {}
