/** Where the page is. A proxy may serve it below any path; everything that it asks for is beside it. */

export const base = new URL(".", location.href);

/** The address of a path of the service, such as `/api/me`. */
export function address(path: string): string {
  return new URL(path.replace(/^\/+/, ""), base).href;
}
