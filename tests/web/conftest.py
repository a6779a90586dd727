"""The browser and the server that the tests of the page share."""

from tests.web.browser import browser as browser
from tests.web.browser import open_window as open_window
from tests.web.browser import playwright as playwright
from tests.web.browser import serve as serve
