// @ts-check

/** Something a person can mend: its message is printed as it is, without a stack; exit code 1. */
export class Refusal extends Error {}
