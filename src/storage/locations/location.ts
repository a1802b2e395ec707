/** One version of an object of a location. */
export interface ListedObject {
  /** Below the prefix or folder. */
  name: string;
  /** Differs between versions: an ETag, or size and time of the last change. */
  version: string;
  bytes: number;
  /** Why it can be listed only; then it may be a folder, and has neither version nor size. */
  unreadable?: string;
}

/** An object that was read. */
interface ReadObject {
  bytes: Uint8Array;
  /** Whether Selvage has written it. */
  isResult: boolean;
}

/** A folder or a prefix of a bucket outside of object storage, which the operator has declared. */
export interface Location {
  /**
   * Lists the objects whose names start with `prefix`, in no particular order, in pages of at most 1000. A folder
   * leaves out hidden files, links, what was changed less than two seconds ago, and folders of results; it names
   * folders in it that cannot be read.
   * @throws LocationUnavailable if the location itself cannot be listed
   */
  list(prefix: string, signal: AbortSignal): AsyncGenerator<ListedObject[]>;
  /** Returns the present version of an object, or nothing if there is none. @throws LocationUnavailable */
  head(name: string, signal: AbortSignal): Promise<ListedObject | undefined>;
  /**
   * Returns the bytes of this version.
   * @throws ObjectGone if there is no such object any more, or another version; LocationUnavailable
   */
  read(object: ListedObject, signal: AbortSignal): Promise<ReadObject>;
  /** Writes a whole object or nothing; replaces an existing one. @throws LocationUnavailable */
  write(name: string, bytes: Uint8Array, mediaType: string, signal: AbortSignal): Promise<void>;
  /** Frees sockets. */
  close(): void;
}

/**
 * A location or one object of it cannot be used now, and may be later: it does not respond, denies access or is
 * missing. Which of both it is, only a listing tells.
 */
export class LocationUnavailable extends Error {
  /** @param reason shown to the client: nothing of the host or of keys */
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'LocationUnavailable';
  }
}

/** The object was deleted or replaced since it was listed. */
export class ObjectGone extends Error {
  constructor(name: string) {
    super(`${name} was deleted or replaced`);
    this.name = 'ObjectGone';
  }
}
