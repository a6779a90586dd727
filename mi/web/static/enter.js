// At the address without a path, which notifications name: a browser that was let in knows where the page lies.
const place = localStorage.getItem("place") ?? "";
if (/^\/[0-9a-f]{16,}\/$/.test(place)) location.replace(place + location.hash);
